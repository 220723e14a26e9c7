// Writes a graph as a file for Graphviz.

#include <fstream>

#include "vgpu/cudart/client/graphs/graph.hpp"

namespace vgpu::cudart::client {
namespace {

const char* word_for(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "KERNEL";
    case cudaGraphNodeTypeMemcpy:
      return "MEMCPY";
    case cudaGraphNodeTypeMemset:
      return "MEMSET";
    case cudaGraphNodeTypeHost:
      return "HOST";
    case cudaGraphNodeTypeGraph:
      return "GRAPH";
    case cudaGraphNodeTypeEventRecord:
      return "EVENT_RECORD";
    case cudaGraphNodeTypeWaitEvent:
      return "EVENT_WAIT";
    default:
      return "EMPTY";
  }
}

std::string extent(const dim3& d) {
  return std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z);
}

std::string label_of(Runtime& runtime, const Work& work, bool with_parameters) {
  std::string label = word_for(type_of(work));
  if (const auto* kernel = std::get_if<KernelWork>(&work)) {
    const auto found = runtime.kernel(kernel->function);
    if (found) label += "\\n" + (*found)->name;
    if (with_parameters) label += "\\n<<<(" + extent(kernel->grid) + "),(" + extent(kernel->block) + ")>>>";
  }
  return label;
}

/// Writes the graph. The numbers of nodes follow the order of creation.
Outcome print(Runtime& runtime, cudaGraph_t handle, const char* path, unsigned flags) {
  const auto graph = find_graph(handle);
  if (!graph) return invalid_graph();
  if (!path) return {cudaErrorInvalidValue, "the path is null"};
  const bool with_parameters =
      (flags & (cudaGraphDebugDotFlagsVerbose | cudaGraphDebugDotFlagsKernelNodeParams)) != 0;
  std::map<cudaGraphNode_t, std::string> name_of;
  for (const auto& [node, _] : graph->nodes)
    name_of[node] = "\"graph_1_node_" + std::to_string(name_of.size()) + "\"";
  std::ofstream file(path);
  file << "digraph dot {\n";
  for (const auto& [node, what] : graph->nodes)
    file << name_of[node] << " [label=\"" << label_of(runtime, what.work, with_parameters) << "\"];\n";
  for (const auto& [node, what] : graph->nodes)
    for (const cudaGraphNode_t before : what.after)
      file << name_of[before] << " -> " << name_of[node] << ";\n";
  file << "}\n";
  file.close();
  return file ? Outcome() : Outcome(cudaErrorOperatingSystem, std::string(path) + " cannot be written");
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int flags) {
  return api_call("cudaGraphDebugDotPrint", CallKind::host,
                  [&](Runtime& runtime) { return print(runtime, graph, path, flags); });
}
