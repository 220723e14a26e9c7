#include "vgpu/ptx/control_flow.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "vgpu/ptx/components.hpp"
#include "vgpu/ptx/dominators.hpp"

namespace vgpu::ptx {
namespace {

bool is_branch(const Instruction& instruction) { return instruction.traits().role == Role::branch; }
bool is_indexed_branch(const Instruction& instruction) {
  return instruction.traits().role == Role::indexed_branch;
}
bool is_return(const Instruction& instruction) { return instruction.traits().role == Role::leave; }
bool leaves(const Instruction& instruction) {
  return is_return(instruction) || instruction.traits().role == Role::trap;
}
bool diverges(const Instruction& instruction) {
  return is_indexed_branch(instruction) || (is_branch(instruction) && instruction.guard);
}

using Indexes = std::map<std::string_view, std::uint32_t>;

/// The index that an operand names; throws ParseError.
std::uint32_t resolve(const Indexes& names, const Instruction& instruction, std::size_t operand,
                      std::string_view what) {
  const auto* const symbol = operand < instruction.operands.size()
                                 ? std::get_if<Symbol>(&instruction.operands[operand].value)
                                 : nullptr;
  const auto found = symbol != nullptr ? names.find(symbol->name) : names.end();
  if (found != names.end()) return found->second;
  throw ParseError{instruction.ptx_line,
                   symbol != nullptr ? fmt::format("{} goes to '{}', which is not a {} of this function",
                                                   instruction.spelled(), symbol->name, what)
                                     : fmt::format("{} needs a {} as operand {}", instruction.spelled(), what,
                                                   operand + 1)};
}

void resolve_targets(const Function& function, ControlFlow& flow) {
  Indexes labels, lists;
  for (const Label& label : function.labels) labels.emplace(label.name, label.target);
  for (const BranchTargets& list : function.branch_targets) {
    lists.emplace(list.name, static_cast<std::uint32_t>(flow.branch_lists.size()));
    auto& indexes = flow.branch_lists.emplace_back();
    for (const std::string& label : list.labels) {
      const auto found = labels.find(label);
      if (found == labels.end()) {
        throw ParseError{
            0, fmt::format("'{}' in the list '{}' is not a label of this function", label, list.name)};
      }
      indexes.push_back(found->second);
    }
  }
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    const Instruction& instruction = function.code[i];
    if (is_branch(instruction)) flow.target[i] = resolve(labels, instruction, 0, "label");
    if (is_indexed_branch(instruction))
      flow.target[i] = resolve(lists, instruction, 1, "list of branch targets");
  }
}

/// Marks every node that has a path to `target`.
void mark_ways_to(const Graph& backward, std::uint32_t target, std::vector<bool>& marked) {
  std::vector<std::uint32_t> pending{target};
  marked[target] = true;
  while (!pending.empty()) {
    const std::uint32_t node = pending.back();
    pending.pop_back();
    for (const std::uint32_t before : backward.successors(node)) {
      if (!marked[before]) pending.push_back(before);
      marked[before] = true;
    }
  }
}

/// Nodes: basic blocks in the order of the code, then one per list of branch targets, then the exit, then the
/// gates of endless loops. The nodes for lists keep the cost of many brx.idx with one long list proportional
/// to the length of the text.
class FlowGraph {
 public:
  FlowGraph(const Function& function, const ControlFlow& flow);

  /// Finds where lanes that diverge at the end of a block meet again.
  void find_reconvergence(ControlFlow& flow) const;

 private:
  void find_blocks();
  void find_leaving();
  void connect_block(std::uint32_t block);
  void connect(std::uint32_t from, std::vector<std::uint32_t> successors);
  void leave_last_loops(const std::vector<Component>& loops);
  void connect_endless_loops(const std::vector<Component>& loops);
  std::vector<bool> nodes_for_several() const;
  std::uint32_t join_of_branch(std::uint32_t instruction, std::uint32_t node) const;
  std::uint32_t node_at(std::uint32_t instruction) const;
  std::uint32_t list_node(std::uint32_t list) const { return block_count() + list; }
  std::uint32_t exit_node() const { return list_node(static_cast<std::uint32_t>(flow_.branch_lists.size())); }
  std::uint32_t block_count() const { return static_cast<std::uint32_t>(starts_.size()); }
  std::uint32_t code_size() const { return static_cast<std::uint32_t>(code_.size()); }
  std::uint32_t end_of(std::uint32_t block) const {
    return block + 1 < block_count() ? starts_[block + 1] : code_size();
  }

  const std::vector<Instruction>& code_;
  const ControlFlow& flow_;
  std::vector<std::uint32_t> starts_;    ///< first instruction of each block
  std::vector<std::uint32_t> block_of_;  ///< by instruction
  std::vector<bool> only_leaves_;        ///< by node
  std::vector<bool> may_leave_;       ///< by node; lanes that continue do not wait for those that leave here
  std::vector<std::uint32_t> gates_;  ///< heads of the endless loops; a gate precedes each of them
  std::vector<Edge> edges_;
};

FlowGraph::FlowGraph(const Function& function, const ControlFlow& flow) : code_(function.code), flow_(flow) {
  find_blocks();
  find_leaving();
  for (std::uint32_t block = 0; block < block_count(); ++block) connect_block(block);
  for (std::uint32_t list = 0; list < flow.branch_lists.size(); ++list) {
    std::vector<std::uint32_t> successors;
    for (const std::uint32_t target : flow.branch_lists[list]) successors.push_back(node_at(target));
    connect(list_node(list), std::move(successors));
  }
  const auto loops = components(Graph(exit_node() + 1, edges_));
  leave_last_loops(loops);
  connect_endless_loops(loops);
}

void FlowGraph::find_blocks() {
  std::vector<bool> starts(code_.size() + 1);
  starts[0] = true;
  for (std::uint32_t i = 0; i < code_size(); ++i) {
    if (is_branch(code_[i])) starts[flow_.target[i]] = true;
    if (is_branch(code_[i]) || is_indexed_branch(code_[i]) || leaves(code_[i])) starts[i + 1] = true;
  }
  for (const auto& list : flow_.branch_lists) {
    for (const std::uint32_t target : list) starts[target] = true;
  }
  for (std::uint32_t i = 0; i < code_size(); ++i) {
    if (starts[i]) starts_.push_back(i);
    block_of_.push_back(block_count() - 1);
  }
}

// Finds blocks that only leave: a `ret` or `exit`, or a jump to one. clang writes such jumps after a guarded
// branch, nvcc with -G.
void FlowGraph::find_leaving() {
  std::vector<Edge> jumps;
  std::vector<std::uint32_t> leaving{exit_node()};
  for (std::uint32_t block = 0; block < block_count(); ++block) {
    const std::uint32_t first = starts_[block];
    if (code_[first].guard) continue;
    if (is_branch(code_[first])) jumps.emplace_back(block, node_at(flow_.target[first]));
    if (is_return(code_[first])) leaving.push_back(block);
  }
  only_leaves_.resize(exit_node() + 1);
  may_leave_.resize(exit_node() + 1);
  const Graph backward = Graph::reversed(exit_node() + 1, jumps);
  for (const std::uint32_t node : leaving) mark_ways_to(backward, node, only_leaves_);
}

void FlowGraph::connect_block(std::uint32_t block) {
  const std::uint32_t last = end_of(block) - 1;
  const Instruction& instruction = code_[last];
  std::vector<std::uint32_t> successors;
  if (is_branch(instruction)) successors.push_back(node_at(flow_.target[last]));
  if (is_indexed_branch(instruction)) successors.push_back(list_node(flow_.target[last]));
  const bool jumps = !successors.empty() || leaves(instruction);
  if (!jumps || instruction.guard) successors.push_back(node_at(last + 1));
  may_leave_[block] = instruction.guard && is_return(instruction);
  connect(block, std::move(successors));
}

// Lanes that leave neither wait for others nor are waited for where they leave: the code before can be the
// end of an early return.
void FlowGraph::connect(std::uint32_t from, std::vector<std::uint32_t> successors) {
  if (std::erase_if(successors, [&](std::uint32_t node) { return only_leaves_[node]; }) != 0) {
    may_leave_[from] = true;
  }
  if (successors.empty()) successors.push_back(exit_node());
  for (const std::uint32_t node : successors) edges_.emplace_back(from, node);
}

std::vector<bool> FlowGraph::nodes_for_several() const {
  std::vector<bool> nodes(exit_node() + 1);
  for (std::uint32_t i = 0; i < code_size(); ++i) {
    if (code_[i].traits().is_collective) nodes[block_of_[i]] = true;
  }
  return nodes;
}

// Lanes that leave can run statements of their own first: `if (bad) { *error = i; return; }`. In the graph
// that is an exit from the loop, like an exit to code that follows the loop. But if other lanes leave the
// kernel directly from the loop, no code follows it. If the loop also has a barrier, lanes that waited for
// one another outside the loop would never arrive at it, and the lanes inside would wait forever. So these
// exits count as leaving, too, unless they lead to a barrier.
void FlowGraph::leave_last_loops(const std::vector<Component>& loops) {
  const std::vector<bool> for_several = nodes_for_several();
  std::vector<bool> leads_to_several(exit_node() + 1);
  const Graph backward = Graph::reversed(exit_node() + 1, edges_);
  std::vector<std::uint32_t> last_loop_of(exit_node() + 1, kNoNode);
  for (const Component& loop : loops) {
    const auto any = [&](const std::vector<bool>& nodes) {
      return std::any_of(loop.begin(), loop.end(), [&](std::uint32_t node) { return nodes[node]; });
    };
    if (!any(for_several)) continue;
    if (!leads_to_several[loop.front()]) mark_ways_to(backward, loop.front(), leads_to_several);
    if (loop.size() == 1 || !any(may_leave_)) continue;  // a loop of one block has no other way out
    for (const std::uint32_t node : loop) last_loop_of[node] = loop.front();
  }
  std::erase_if(edges_, [&](const Edge& edge) {
    const std::uint32_t loop = last_loop_of[edge.first];
    return loop != kNoNode && last_loop_of[edge.second] != loop && !leads_to_several[edge.second];
  });
}

// Post-dominators require a path from every node to the exit. A loop without such a path, or with one for
// leaving lanes only, gets an artificial edge to the exit from a gate in front of its head. Every iteration
// passes the gate, so branches inside the loop still meet inside it, at its head at the latest. If the edge
// started later in the loop, a branch that skips that place on its way to the next iteration could meet the
// others only there, one iteration later.
void FlowGraph::connect_endless_loops(const std::vector<Component>& loops) {
  const std::uint32_t exit = exit_node();
  const Graph backward = Graph::reversed(exit + 1, edges_);
  std::vector<bool> ends(exit + 1);
  mark_ways_to(backward, exit, ends);
  std::vector<std::uint32_t> gate_of(exit + 1, kNoNode);
  for (const Component& loop : loops) {
    const std::uint32_t head = loop.front();
    if (ends[head]) continue;
    mark_ways_to(backward, head, ends);
    gates_.push_back(head);
    gate_of[head] = exit + static_cast<std::uint32_t>(gates_.size());
  }
  for (auto& [from, to] : edges_) {
    if (gate_of[to] != kNoNode) to = gate_of[to];
  }
  for (const std::uint32_t head : gates_) {
    edges_.emplace_back(gate_of[head], head);
    edges_.emplace_back(gate_of[head], exit);
  }
}

void FlowGraph::find_reconvergence(ControlFlow& flow) const {
  std::vector<Edge> turned;
  for (const auto& [from, to] : edges_) turned.emplace_back(to, from);
  const auto nodes = exit_node() + 1 + static_cast<std::uint32_t>(gates_.size());
  const auto post_dominator = immediate_dominators(nodes, turned, exit_node());
  for (std::uint32_t i = 0; i < code_size(); ++i) {
    if (!diverges(code_[i])) continue;
    std::uint32_t node = post_dominator[block_of_[i]];
    // The nodes of branch lists contain no code.
    while (node >= block_count() && node < exit_node()) node = post_dominator[node];
    flow.reconvergence[i] = join_of_branch(i, node);
  }
}

std::uint32_t FlowGraph::join_of_branch(std::uint32_t instruction, std::uint32_t node) const {
  if (node < block_count()) return starts_[node];
  if (node == exit_node()) return code_size();
  // Only a return follows the loop's last branch. Lanes that fall through run first, so the lanes that
  // continue need not wait at the head, and a loop without other branches needs no join.
  if (is_branch(code_[instruction]) && only_leaves_[node_at(instruction + 1)]) return code_size();
  const std::uint32_t head = gates_[node - exit_node() - 1];
  return head < block_count() ? starts_[head] : code_size();
}

std::uint32_t FlowGraph::node_at(std::uint32_t instruction) const {
  return instruction < code_size() ? block_of_[instruction] : exit_node();
}

}  // namespace

grader::Expected<ControlFlow, ParseError> analyse(const Function& function) {
  ControlFlow flow;
  flow.target.resize(function.code.size(), ControlFlow::kNone);
  flow.reconvergence = flow.target;
  try {
    resolve_targets(function, flow);
  } catch (const ParseError& error) {
    return grader::Unexpected{error};
  }
  FlowGraph(function, flow).find_reconvergence(flow);
  return flow;
}

}  // namespace vgpu::ptx
