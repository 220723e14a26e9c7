#include "vgpu/ptx/dominators.hpp"

#include <algorithm>
#include <numeric>

namespace vgpu::ptx {
namespace {

/// The paper's forest and its vectors. Nodes are numbered in the order of a depth-first search, so "smaller"
/// means "visited earlier"; the root is 0.
class LengauerTarjan {
 public:
  LengauerTarjan(const Graph& forward, std::uint32_t root)
      : forward_(forward), number_(forward.nodes(), kNoNode) {
    search(root);
    semi_.resize(node_.size());
    std::iota(semi_.begin(), semi_.end(), 0U);
    best_ = semi_;
    ancestor_.resize(node_.size(), kNoNode);
    dominator_.resize(node_.size(), 0);
  }

  std::vector<std::uint32_t> run(const Graph& backward);

 private:
  void search(std::uint32_t root);
  void visit(std::uint32_t node, std::uint32_t parent);
  std::uint32_t eval(std::uint32_t v);

  const Graph& forward_;
  std::vector<std::uint32_t> number_;         // by node
  std::vector<std::uint32_t> node_, parent_;  // by number, as are all vectors below
  std::vector<std::uint32_t> semi_, best_, ancestor_, dominator_;
  std::vector<std::uint32_t> path_;
};

void LengauerTarjan::visit(std::uint32_t node, std::uint32_t parent) {
  number_[node] = static_cast<std::uint32_t>(node_.size());
  node_.push_back(node);
  parent_.push_back(parent);
}

void LengauerTarjan::search(std::uint32_t root) {
  struct Frame {
    std::uint32_t number, next;
  };
  std::vector<Frame> stack{{0, 0}};
  visit(root, kNoNode);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const auto successors = forward_.successors(node_[frame.number]);
    if (frame.next == successors.size()) {
      stack.pop_back();
      continue;
    }
    const std::uint32_t node = successors[frame.next++];
    if (number_[node] != kNoNode) continue;
    visit(node, frame.number);
    stack.push_back({number_[node], 0});
  }
}

/// The vertex with the smallest semidominator on the path from `v` to the root of its tree, the root
/// excluded. Compresses the path.
std::uint32_t LengauerTarjan::eval(std::uint32_t v) {
  if (ancestor_[v] == kNoNode) return v;
  path_.clear();
  for (std::uint32_t u = v; ancestor_[ancestor_[u]] != kNoNode; u = ancestor_[u]) path_.push_back(u);
  for (auto u = path_.rbegin(); u != path_.rend(); ++u) {
    const std::uint32_t above = ancestor_[*u];
    if (semi_[best_[above]] < semi_[best_[*u]]) best_[*u] = best_[above];
    ancestor_[*u] = ancestor_[above];
  }
  return best_[v];
}

std::vector<std::uint32_t> LengauerTarjan::run(const Graph& backward) {
  const auto count = static_cast<std::uint32_t>(node_.size());
  std::vector<std::vector<std::uint32_t>> bucket(count);
  // Steps 2 and 3 of the paper, in decreasing order of the numbers.
  for (std::uint32_t w = count - 1; w > 0; --w) {
    for (const std::uint32_t predecessor : backward.successors(node_[w])) {
      const std::uint32_t v = number_[predecessor];
      if (v != kNoNode) semi_[w] = std::min(semi_[w], semi_[eval(v)]);
    }
    bucket[semi_[w]].push_back(w);
    ancestor_[w] = parent_[w];
    for (const std::uint32_t v : std::exchange(bucket[parent_[w]], {})) {
      const std::uint32_t u = eval(v);
      dominator_[v] = semi_[u] < semi_[v] ? u : parent_[w];
    }
  }
  std::vector<std::uint32_t> result(number_.size(), kNoNode);
  // Step 4, in increasing order: replaces dominators that are known relative to another node.
  for (std::uint32_t w = 1; w < count; ++w) {
    if (dominator_[w] != semi_[w]) dominator_[w] = dominator_[dominator_[w]];
    result[node_[w]] = node_[dominator_[w]];
  }
  return result;
}

}  // namespace

Graph::Graph(std::uint32_t nodes, std::span<const Edge> edges)
    : first_(nodes + 1), successors_(edges.size()) {
  // The successors of each node are stored next to each other, in the order of the edges.
  for (const auto& [from, to] : edges) ++first_[from + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::uint32_t> next = first_;
  for (const auto& [from, to] : edges) successors_[next[from]++] = to;
}

Graph Graph::reversed(std::uint32_t nodes, std::span<const Edge> edges) {
  std::vector<Edge> turned;
  turned.reserve(edges.size());
  for (const auto& [from, to] : edges) turned.emplace_back(to, from);
  return {nodes, turned};
}

std::vector<std::uint32_t> immediate_dominators(std::uint32_t nodes, std::span<const Edge> edges,
                                                std::uint32_t root) {
  const Graph forward(nodes, edges);
  return LengauerTarjan(forward, root).run(Graph::reversed(nodes, edges));
}

}  // namespace vgpu::ptx
