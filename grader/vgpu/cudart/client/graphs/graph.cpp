#include "vgpu/cudart/client/graphs/graph.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace vgpu::cudart::client {
namespace {

// Handles are numbers that are never used twice, so stale handles are always detected.
template <class Handle>
Handle new_handle() {
  static std::uintptr_t last = 0x1000;
  return reinterpret_cast<Handle>(last += 0x10);
}

struct Graphs {
  std::uint64_t device = 0;  ///< the device of the graphs; see Runtime::device_number()
  std::map<cudaGraph_t, std::shared_ptr<Graph>> graphs;
  std::map<cudaGraphExec_t, std::shared_ptr<ExecutableGraph>> executables;
};

Graphs& all_graphs() {
  static Graphs& graphs = *new Graphs;  // never destroyed, see Runtime::instance()
  const std::uint64_t device = Runtime::instance().device_number();
  if (graphs.device != device) graphs = Graphs{.device = device, .graphs = {}, .executables = {}};
  return graphs;
}

template <class Map, class Key>
typename Map::mapped_type find_in(const Map& map, Key key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second;
}

}  // namespace

cudaGraphNode_t Graph::add(Work work, std::vector<cudaGraphNode_t> after) {
  const auto handle = new_handle<cudaGraphNode_t>();
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  nodes[handle] = Node{.work = std::move(work), .after = std::move(after)};
  return handle;
}

std::optional<std::vector<cudaGraphNode_t>> Graph::order() const {
  // Kahn's algorithm. Of the nodes that are ready, the one created first is next, so that the order is always
  // the same.
  std::map<cudaGraphNode_t, std::size_t> waits_for;
  std::map<cudaGraphNode_t, std::vector<cudaGraphNode_t>> before;
  std::set<cudaGraphNode_t> ready;
  for (const auto& [handle, node] : nodes) {
    waits_for[handle] = node.after.size();
    if (node.after.empty()) ready.insert(handle);
    for (const cudaGraphNode_t other : node.after) before[other].push_back(handle);
  }
  std::vector<cudaGraphNode_t> ordered;
  while (!ready.empty()) {
    const cudaGraphNode_t first = *ready.begin();
    ready.erase(ready.begin());
    ordered.push_back(first);
    for (const cudaGraphNode_t next : before[first])
      if (--waits_for[next] == 0) ready.insert(next);
  }
  if (ordered.size() != nodes.size()) return std::nullopt;
  return ordered;
}

std::vector<cudaGraphNode_t> Graph::with_ancestors(std::vector<cudaGraphNode_t> found) const {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto node = nodes.find(found[i]);
    if (node == nodes.end()) continue;
    for (const cudaGraphNode_t other : node->second.after)
      if (std::find(found.begin(), found.end(), other) == found.end()) found.push_back(other);
  }
  return found;
}

Work* ExecutableGraph::step(cudaGraphNode_t node) {
  const auto found = std::find(nodes.begin(), nodes.end(), node);
  return found == nodes.end() ? nullptr : &list->steps[static_cast<std::size_t>(found - nodes.begin())];
}

cudaGraph_t add_graph(std::shared_ptr<Graph> graph) {
  const auto handle = new_handle<cudaGraph_t>();
  all_graphs().graphs[handle] = std::move(graph);
  return handle;
}

std::shared_ptr<Graph> find_graph(cudaGraph_t graph) { return find_in(all_graphs().graphs, graph); }

// extract() removes the graph from the map before it destroys the graph: that can call destructors of user
// objects, which are functions of the program.
bool remove_graph(cudaGraph_t graph) { return !all_graphs().graphs.extract(graph).empty(); }

std::shared_ptr<Graph> graph_of(cudaGraphNode_t node) {
  for (const auto& [_, graph] : all_graphs().graphs)
    if (graph->nodes.count(node) > 0) return graph;
  return nullptr;
}

Node* find_node(cudaGraphNode_t handle) {
  const auto graph = graph_of(handle);
  return graph ? &graph->nodes.at(handle) : nullptr;
}

std::shared_ptr<Graph> clone(const Graph& graph) {
  auto copy = std::make_shared<Graph>();
  copy->objects = graph.objects;
  std::map<cudaGraphNode_t, cudaGraphNode_t> clone_of;
  for (const auto& [handle, node] : graph.nodes) {
    clone_of[handle] = copy->add(node.work, {});
    copy->nodes[clone_of[handle]].cloned_from = handle;
    copy->nodes[clone_of[handle]].attributes = node.attributes;
  }
  for (const auto& [handle, node] : graph.nodes)
    for (const cudaGraphNode_t other : node.after)
      copy->nodes[clone_of[handle]].after.push_back(clone_of[other]);
  return copy;
}

std::optional<ExecutableGraph> instantiate(const Graph& graph) {
  auto order = graph.order();
  if (!order) return std::nullopt;
  ExecutableGraph result{
      .nodes = *std::move(order), .list = std::make_shared<WorkList>(), .objects = graph.objects};
  std::map<cudaGraphNode_t, std::size_t> step_of;
  std::vector<std::vector<std::size_t>> after;
  for (const cudaGraphNode_t handle : result.nodes) {
    const Node& node = graph.nodes.at(handle);
    step_of[handle] = result.list->steps.size();
    result.list->steps.push_back(node.work);
    after.emplace_back();
    for (const cudaGraphNode_t other : node.after) after.back().push_back(step_of.at(other));
    std::sort(after.back().begin(), after.back().end());
  }
  result.list->placements = place_in_branches(after);
  return result;
}

cudaGraphExec_t add_executable(ExecutableGraph graph) {
  const auto handle = new_handle<cudaGraphExec_t>();
  all_graphs().executables[handle] = std::make_shared<ExecutableGraph>(std::move(graph));
  return handle;
}

std::shared_ptr<ExecutableGraph> find_executable(cudaGraphExec_t graph) {
  return find_in(all_graphs().executables, graph);
}
bool remove_executable(cudaGraphExec_t graph) { return !all_graphs().executables.extract(graph).empty(); }

GraphCounts live_graphs() { return {all_graphs().graphs.size(), all_graphs().executables.size()}; }

}  // namespace vgpu::cudart::client
