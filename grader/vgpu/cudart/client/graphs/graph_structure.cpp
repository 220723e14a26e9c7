// Creates, clones and destroys graphs, and queries and changes their nodes and edges.

#include <algorithm>

#include "vgpu/cudart/client/graphs/graph.hpp"

namespace vgpu::cudart::client {
namespace {

using NodeHandles = std::vector<cudaGraphNode_t>;

/// Returns a list as CUDA does: in an array with room for *count elements. Without an array, returns only the
/// number of elements.
Outcome return_list(const NodeHandles& nodes, cudaGraphNode_t* result, size_t* count) {
  if (!count) return null_result();
  if (result) {
    const size_t given = std::min(*count, nodes.size());
    std::copy_n(nodes.begin(), given, result);
    std::fill(result + given, result + *count, nullptr);
    *count = given;
  } else {
    *count = nodes.size();
  }
  return {};
}

/// The nodes for which matters(node) is true.
template <class Matters>
NodeHandles nodes_of(const Graph& graph, Matters matters) {
  NodeHandles result;
  for (const auto& [handle, node] : graph.nodes)
    if (matters(node)) result.push_back(handle);
  return result;
}

bool depends_on(const Node& node, cudaGraphNode_t other) {
  return std::binary_search(node.after.begin(), node.after.end(), other);
}

/// Calls change(node, dependency) for every edge.
template <class Change>
Outcome change_edges(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count,
                     Change change) {
  const auto graph = find_graph(handle);
  if (!graph) return invalid_graph();
  if (count > 0 && (!from || !to)) return null_result();
  for (size_t i = 0; i < count; ++i)
    if (graph->nodes.count(from[i]) == 0 || graph->nodes.count(to[i]) == 0) return invalid_node();
  for (size_t i = 0; i < count; ++i)
    if (!change(graph->nodes.at(to[i]), from[i]))
      return {cudaErrorInvalidValue, "the edge already exists, does not exist, or connects a node to itself"};
  return {};
}

Outcome destroy_node(cudaGraphNode_t handle) {
  const auto graph = graph_of(handle);
  if (!graph) return invalid_node();
  graph->nodes.erase(handle);
  for (auto& [_, node] : graph->nodes) std::erase(node.after, handle);
  return {};
}

Outcome get_edges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count) {
  const auto graph = find_graph(handle);
  if (!graph) return invalid_graph();
  NodeHandles starts, ends;
  for (const auto& [end, node] : graph->nodes) {
    starts.insert(starts.end(), node.after.begin(), node.after.end());
    ends.insert(ends.end(), node.after.size(), end);
  }
  size_t room = count ? *count : 0;
  Outcome outcome = return_list(starts, from, count);
  return outcome.error || !to ? outcome : return_list(ends, to, &room);
}

}  // namespace

cudaGraphNodeType type_of(const Work& work) {
  constexpr cudaGraphNodeType kTypes[] = {cudaGraphNodeTypeEmpty,     cudaGraphNodeTypeKernel,
                                          cudaGraphNodeTypeMemcpy,    cudaGraphNodeTypeMemset,
                                          cudaGraphNodeTypeHost,      cudaGraphNodeTypeEventRecord,
                                          cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeGraph};
  static_assert(std::size(kTypes) == std::variant_size_v<Work>);
  return kTypes[work.index()];
}

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* pGraph, unsigned int flags) {
  return api_call("cudaGraphCreate", CallKind::host, [&](Runtime&) {
    if (flags != 0) return Outcome(cudaErrorInvalidValue, "the flags must be 0");
    return pGraph ? answer(pGraph, add_graph(std::make_shared<Graph>())) : null_result();
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api_call("cudaGraphDestroy", CallKind::host,
                  [&](Runtime&) { return remove_graph(graph) ? Outcome() : invalid_graph(); });
}

cudaError_t cudaGraphClone(cudaGraph_t* pGraphClone, cudaGraph_t originalGraph) {
  return api_call("cudaGraphClone", CallKind::host, [&](Runtime&) {
    const auto graph = find_graph(originalGraph);
    if (!graph) return invalid_graph();
    return pGraphClone ? answer(pGraphClone, add_graph(clone(*graph))) : null_result();
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* pNode, cudaGraphNode_t originalNode,
                                     cudaGraph_t clonedGraph) {
  return api_call("cudaGraphNodeFindInClone", CallKind::host, [&](Runtime&) {
    const auto graph = find_graph(clonedGraph);
    if (!graph) return invalid_graph();
    const auto found = nodes_of(*graph, [&](const Node& node) { return node.cloned_from == originalNode; });
    return found.empty() ? invalid_node() : answer(pNode, found.front());
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     size_t numDependencies) {
  return api_call("cudaGraphAddDependencies", CallKind::host, [&](Runtime&) {
    return change_edges(graph, from, to, numDependencies, [](Node& node, cudaGraphNode_t other) {
      const auto place = std::lower_bound(node.after.begin(), node.after.end(), other);
      if (place != node.after.end() && *place == other) return false;
      node.after.insert(place, other);
      return true;
    });
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        size_t numDependencies) {
  return api_call("cudaGraphRemoveDependencies", CallKind::host, [&](Runtime&) {
    return change_edges(graph, from, to, numDependencies,
                        [](Node& node, cudaGraphNode_t other) { return std::erase(node.after, other) == 1; });
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return api_call("cudaGraphDestroyNode", CallKind::host, [&](Runtime&) { return destroy_node(node); });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes) {
  return api_call("cudaGraphGetNodes", CallKind::host, [&](Runtime&) {
    const auto found = find_graph(graph);
    if (!found) return invalid_graph();
    return return_list(nodes_of(*found, [](const Node&) { return true; }), nodes, numNodes);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* pRootNodes, size_t* pNumRootNodes) {
  return api_call("cudaGraphGetRootNodes", CallKind::host, [&](Runtime&) {
    const auto found = find_graph(graph);
    if (!found) return invalid_graph();
    return return_list(nodes_of(*found, [](const Node& node) { return node.after.empty(); }), pRootNodes,
                       pNumRootNodes);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData*, size_t* numEdges) {
  return api_call("cudaGraphGetEdges", CallKind::host,
                  [&](Runtime&) { return get_edges(graph, from, to, numEdges); });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* pType) {
  return api_call("cudaGraphNodeGetType", CallKind::host, [&](Runtime&) {
    const Node* found = find_node(node);
    return found ? answer(pType, type_of(found->work)) : invalid_node();
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* pDependencies,
                                         cudaGraphEdgeData*, size_t* pNumDependencies) {
  return api_call("cudaGraphNodeGetDependencies", CallKind::host, [&](Runtime&) {
    const Node* found = find_node(node);
    return found ? return_list(found->after, pDependencies, pNumDependencies) : invalid_node();
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes,
                                           cudaGraphEdgeData*, size_t* pNumDependentNodes) {
  return api_call("cudaGraphNodeGetDependentNodes", CallKind::host, [&](Runtime&) {
    const auto graph = graph_of(node);
    if (!graph) return invalid_node();
    return return_list(nodes_of(*graph, [&](const Node& other) { return depends_on(other, node); }),
                       pDependentNodes, pNumDependentNodes);
  });
}
}
