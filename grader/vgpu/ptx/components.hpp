// Strongly connected components of a directed graph: its loops, and each node that is in none.
//
// The algorithm is Tarjan's ("Depth-first search and linear graph algorithms", SIAM Journal on Computing
// 1(2), 1972), without recursion: time and memory grow with nodes and edges.
//
// Covered by tests/ptx/control_flow_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/ptx/dominators.hpp"

namespace vgpu::ptx {

/// Its nodes. The first is that by which a search from node 0 enters it: the head, if it is a loop with one
/// entry.
using Component = std::vector<std::uint32_t>;

/// A component comes after those that it leads to.
std::vector<Component> components(const Graph& graph);

}  // namespace vgpu::ptx
