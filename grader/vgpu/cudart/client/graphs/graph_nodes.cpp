// Adds nodes to graphs.

#include "vgpu/cudart/client/graphs/graph.hpp"

namespace vgpu::cudart::client {
namespace {

using NodeHandles = std::vector<cudaGraphNode_t>;

Outcome add_node(cudaGraphNode_t* result, cudaGraph_t handle, const cudaGraphNode_t* after, size_t count,
                 Work work) {
  const auto graph = find_graph(handle);
  if (!graph) return invalid_graph();
  if (!result || (count > 0 && !after)) return null_result();
  NodeHandles dependencies(after, after + count);
  for (const cudaGraphNode_t node : dependencies)
    if (graph->nodes.count(node) == 0)
      return {cudaErrorInvalidValue, "a dependency is not a node of the graph"};
  *result = graph->add(std::move(work), std::move(dependencies));
  return {};
}

/// Adds a node with the work from its parameters, or returns the error in the parameters.
template <class Specific>
Outcome add_node(Runtime& runtime, cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                 size_t count, OrOutcome<Specific> work) {
  if (!work) return work.error();
  Outcome problem = check(runtime, Work(*work));
  return problem.error ? problem : add_node(result, graph, after, count, Work(*std::move(work)));
}

/// Adds a copy of the child graph's current state.
Outcome add_child(Runtime& runtime, cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                  size_t count, cudaGraph_t child) {
  return child == graph ? invalid_graph() : add_node(runtime, result, graph, after, count, work_from(child));
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t* pDependencies, size_t numDependencies) {
  return api_call("cudaGraphAddEmptyNode", CallKind::host, [&](Runtime&) {
    return add_node(pGraphNode, graph, pDependencies, numDependencies, EmptyWork{});
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const cudaKernelNodeParams* pNodeParams) {
  return api_call("cudaGraphAddKernelNode", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies,
                    work_from(runtime, pNodeParams));
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const cudaMemcpy3DParms* pCopyParams) {
  return api_call("cudaGraphAddMemcpyNode", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies, copy_3d(pCopyParams));
  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t* pDependencies, size_t numDependencies, void* dst,
                                     const void* src, size_t count, cudaMemcpyKind kind) {
  return api_call("cudaGraphAddMemcpyNode1D", CallKind::host, [&](Runtime& runtime) {
    return add_node<CopyWork>(runtime, pGraphNode, graph, pDependencies, numDependencies,
                              linear_copy(dst, src, count, kind));
  });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                           const void* symbol, const void* src, size_t count, size_t offset,
                                           cudaMemcpyKind kind) {
  return api_call("cudaGraphAddMemcpyNodeToSymbol", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies,
                    copy_to_symbol(runtime, symbol, src, count, offset, kind));
  });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                             void* dst, const void* symbol, size_t count, size_t offset,
                                             cudaMemcpyKind kind) {
  return api_call("cudaGraphAddMemcpyNodeFromSymbol", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies,
                    copy_from_symbol(runtime, dst, symbol, count, offset, kind));
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const cudaMemsetParams* pMemsetParams) {
  return api_call("cudaGraphAddMemsetNode", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies, work_from(pMemsetParams));
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                 const cudaHostNodeParams* pNodeParams) {
  return api_call("cudaGraphAddHostNode", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies, work_from(pNodeParams));
  });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                       cudaGraph_t childGraph) {
  return api_call("cudaGraphAddChildGraphNode", CallKind::host, [&](Runtime& runtime) {
    return add_child(runtime, pGraphNode, graph, pDependencies, numDependencies, childGraph);
  });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                        cudaEvent_t event) {
  return api_call("cudaGraphAddEventRecordNode", CallKind::host, [&](Runtime& runtime) {
    return add_node<RecordWork>(runtime, pGraphNode, graph, pDependencies, numDependencies,
                                RecordWork{event});
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                      cudaEvent_t event) {
  return api_call("cudaGraphAddEventWaitNode", CallKind::host, [&](Runtime& runtime) {
    return add_node<WaitWork>(runtime, pGraphNode, graph, pDependencies, numDependencies, WaitWork{event});
  });
}

/// Ignores the data of edges: every edge is a full dependency.
cudaError_t cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t* pDependencies, const cudaGraphEdgeData*,
                             size_t numDependencies, cudaGraphNodeParams* nodeParams) {
  return api_call("cudaGraphAddNode", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies,
                    work_from(runtime, nodeParams));
  });
}
}
