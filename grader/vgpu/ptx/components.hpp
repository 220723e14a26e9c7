// Strongly connected components of a directed graph: its loops, and each node outside all loops.
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

/// The component's nodes. A search from node 0 enters the component at the first of them, which is the head
/// of a loop with one entry.
using Component = std::vector<std::uint32_t>;

/// A component follows those that it leads to.
std::vector<Component> components(const Graph& graph);

}  // namespace vgpu::ptx
