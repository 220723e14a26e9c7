// Dominators of a directed graph.
//
// The algorithm is Lengauer and Tarjan's ("A Fast Algorithm for Finding Dominators in a Flowgraph", TOPLAS
// 1(1), 1979), in the variant with path compression only: O(edges · log nodes) for every graph. The simpler
// iteration of Cooper, Harvey and Kennedy is as fast on compiler output, but takes quadratic time or more on
// adversarial graphs.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace vgpu::ptx {

using Edge = std::pair<std::uint32_t, std::uint32_t>;  ///< from, to

/// Successor lists in one array. Nodes are numbered from 0.
class Graph {
 public:
  Graph(std::uint32_t nodes, std::span<const Edge> edges);
  static Graph reversed(std::uint32_t nodes, std::span<const Edge> edges);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  std::span<const std::uint32_t> successors(std::uint32_t node) const {
    return std::span(successors_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  std::vector<std::uint32_t> first_;  ///< where the successors of each node begin in `successors_`
  std::vector<std::uint32_t> successors_;
};

inline constexpr std::uint32_t kNoNode = UINT32_MAX;

/// For each node its immediate dominator: the last node on every path from `root` to it, apart from the node
/// itself. kNoNode for the root and for nodes that it does not reach.
std::vector<std::uint32_t> immediate_dominators(std::uint32_t nodes, std::span<const Edge> edges,
                                                std::uint32_t root);

}  // namespace vgpu::ptx
