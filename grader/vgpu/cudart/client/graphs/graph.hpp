// Graphs of work: nodes and what they stand behind. Access under the runtime's mutex. Covered by
// tests/cudart/graphs_test.cpp.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "vgpu/cudart/client/streams/work.hpp"

namespace vgpu::cudart::client {

/// A resource of the program. When the last reference is gone, its destructor is called.
struct UserObject {
  void* resource = nullptr;
  cudaHostFn_t destroy = nullptr;

  UserObject(void* what, cudaHostFn_t how) : resource(what), destroy(how) {}
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;
  ~UserObject();
};

/// Which user objects somebody keeps alive: the program, a graph, what was made of one.
class UserObjects {
 public:
  std::shared_ptr<UserObject> find(cudaUserObject_t handle) const;
  void retain(cudaUserObject_t handle, std::shared_ptr<UserObject> object, unsigned count);
  /// nullopt: there are not so many references. Otherwise the object, which may have been kept alive by them.
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
  std::vector<cudaGraphNode_t> after{};     ///< ordered, each once
  cudaGraphNode_t cloned_from = nullptr;    ///< in a clone of a graph
  std::vector<void*> argument_addresses{};  ///< what cudaGraphKernelNodeGetParams gave out
  /// As the program set them; of kernels. The device looks at `cooperative` only, in the work.
  std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes{};
};

struct Graph {
  /// Handles grow from node to node, in all graphs: the order is that of creation.
  std::map<cudaGraphNode_t, Node> nodes;
  UserObjects objects;

  cudaGraphNode_t add(Work work, std::vector<cudaGraphNode_t> after);
  /// Every node behind what it stands behind, otherwise in the order of creation; nullopt: there is a cycle.
  std::optional<std::vector<cudaGraphNode_t>> order() const;
  /// `nodes`, and all that they stand behind, directly or not.
  std::vector<cudaGraphNode_t> with_ancestors(std::vector<cudaGraphNode_t> nodes) const;
};

/// What cudaGraphInstantiate makes: work in an order in which it can be done.
struct ExecutableGraph {
  std::vector<cudaGraphNode_t> nodes;  ///< that the steps were made of
  std::shared_ptr<WorkList> list;
  unsigned long long flags = 0;
  std::set<cudaGraphNode_t> disabled{};  ///< left out of launches
  UserObjects objects{};

  /// nullptr: the node was not in the graph.
  Work* step(cudaGraphNode_t node);
};

cudaGraph_t add_graph(std::shared_ptr<Graph> graph);
/// nullptr: not a live graph.
std::shared_ptr<Graph> find_graph(cudaGraph_t graph);
bool remove_graph(cudaGraph_t graph);
/// Where a node lives; nullptr: nowhere.
std::shared_ptr<Graph> graph_of(cudaGraphNode_t node);
Node* find_node(cudaGraphNode_t node);

std::shared_ptr<Graph> clone(const Graph& graph);
/// nullopt: the graph has a cycle.
std::optional<ExecutableGraph> instantiate(const Graph& graph);

cudaGraphExec_t add_executable(ExecutableGraph graph);
std::shared_ptr<ExecutableGraph> find_executable(cudaGraphExec_t graph);
bool remove_executable(cudaGraphExec_t graph);

// How programs say what a node does.
OrOutcome<KernelWork> work_from(Runtime& runtime, const cudaKernelNodeParams* given);
OrOutcome<FillWork> work_from(const cudaMemsetParams* given);
OrOutcome<HostWork> work_from(const cudaHostNodeParams* given);
OrOutcome<GraphWork> work_from(cudaGraph_t child);
OrOutcome<Work> work_from(Runtime& runtime, const cudaGraphNodeParams* given);

/// The type of a node that does the work.
cudaGraphNodeType type_of(const Work& work);

inline Outcome invalid_graph() { return {cudaErrorInvalidValue, "not a live graph"}; }
inline Outcome invalid_node() { return {cudaErrorInvalidValue, "not a node of a live graph"}; }

}  // namespace vgpu::cudart::client
