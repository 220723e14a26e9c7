// Graphs of work: nodes and their dependencies. Hold the runtime's mutex to access graphs. Covered by
// tests/cudart/graphs_test.cpp.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "vgpu/cudart/client/streams/work.hpp"

namespace vgpu::cudart::client {

/// A resource of the program (cudaUserObject_t). The last reference calls the resource's destructor.
struct UserObject {
  void* resource = nullptr;
  cudaHostFn_t destroy = nullptr;

  UserObject(void* what, cudaHostFn_t how) : resource(what), destroy(how) {}
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;
  ~UserObject();
};

/// The references to user objects of one owner: the program, a graph or an executable graph.
class UserObjects {
 public:
  std::shared_ptr<UserObject> find(cudaUserObject_t handle) const;
  void retain(cudaUserObject_t handle, std::shared_ptr<UserObject> object, unsigned count);
  /// Releases references. Returns nullopt if the owner does not have that many; otherwise the object, so that
  /// its destructor runs only after this call.
  std::optional<std::shared_ptr<UserObject>> release(cudaUserObject_t handle, unsigned count);

 private:
  struct Held {
    std::shared_ptr<UserObject> object;
    unsigned count = 0;
  };
  std::map<cudaUserObject_t, Held> held_;
};

struct Node {
  Work work;
  std::vector<cudaGraphNode_t> after{};     ///< the dependencies, sorted and unique
  cudaGraphNode_t cloned_from = nullptr;    ///< the original node, in a clone of a graph
  std::vector<void*> argument_addresses{};  ///< the argument list that cudaGraphKernelNodeGetParams returns
  /// Attributes of a kernel node, as set by the program. Only `cooperative` has an effect, which is a member
  /// of the work.
  std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes{};
};

struct Graph {
  /// Handles increase with every new node of any graph, so nodes are in the order of creation.
  std::map<cudaGraphNode_t, Node> nodes;
  UserObjects objects;

  cudaGraphNode_t add(Work work, std::vector<cudaGraphNode_t> after);
  /// The nodes in a topological order; unrelated nodes are in the order of creation. nullopt if the graph has
  /// a cycle.
  std::optional<std::vector<cudaGraphNode_t>> order() const;
  /// `nodes` and all their direct and indirect dependencies.
  std::vector<cudaGraphNode_t> with_ancestors(std::vector<cudaGraphNode_t> nodes) const;
};

/// The result of cudaGraphInstantiate: work in an order that respects the dependencies.
struct ExecutableGraph {
  std::vector<cudaGraphNode_t> nodes;  ///< the node of each step
  std::shared_ptr<WorkList> list;
  unsigned long long flags = 0;
  std::set<cudaGraphNode_t> disabled{};  ///< skipped by launches
  UserObjects objects{};
  std::optional<std::uint32_t> last_stream{};  ///< of the latest launch

  /// The step of a node; nullptr if the node was not in the graph.
  Work* step(cudaGraphNode_t node);
};

cudaGraph_t add_graph(std::shared_ptr<Graph> graph);
/// Returns nullptr if the graph is not live.
std::shared_ptr<Graph> find_graph(cudaGraph_t graph);
bool remove_graph(cudaGraph_t graph);
/// The graph of a node; nullptr if the node is not live.
std::shared_ptr<Graph> graph_of(cudaGraphNode_t node);
Node* find_node(cudaGraphNode_t node);

std::shared_ptr<Graph> clone(const Graph& graph);
/// Returns nullopt if the graph has a cycle.
std::optional<ExecutableGraph> instantiate(const Graph& graph);

cudaGraphExec_t add_executable(ExecutableGraph graph);
std::shared_ptr<ExecutableGraph> find_executable(cudaGraphExec_t graph);
bool remove_executable(cudaGraphExec_t graph);

struct GraphCounts {
  std::size_t graphs = 0, executable_graphs = 0;
};
/// The graphs that the program has made and not destroyed.
GraphCounts live_graphs();

// Convert parameters of nodes to work.
OrOutcome<KernelWork> work_from(Runtime& runtime, const cudaKernelNodeParams* given);
OrOutcome<FillWork> work_from(const cudaMemsetParams* given);
OrOutcome<HostWork> work_from(const cudaHostNodeParams* given);
OrOutcome<GraphWork> work_from(cudaGraph_t child);
OrOutcome<Work> work_from(Runtime& runtime, const cudaGraphNodeParams* given);

/// The type of a node with this work.
cudaGraphNodeType type_of(const Work& work);

inline Outcome invalid_graph() {
  return {cudaErrorInvalidValue, "the graph does not exist or was destroyed"};
}
inline Outcome invalid_node() {
  return {cudaErrorInvalidValue, "the node does not belong to an existing graph"};
}

}  // namespace vgpu::cudart::client
