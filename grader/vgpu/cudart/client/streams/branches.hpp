// Divides the steps of a graph among streams, so that steps without an order between them can run at the same
// time.
#pragma once

#include <cstddef>
#include <vector>

namespace vgpu::cudart::client {

/// Where a step runs, and what it waits for.
struct Placement {
  unsigned branch = 0;
  std::vector<std::size_t> awaited{};  ///< earlier steps in other branches that must have ended
  bool is_awaited = false;             ///< a step of another branch waits for this one
};

/// More independent steps than branches take turns.
inline constexpr unsigned kMaxBranches = 32;

/// `after[i]`: the steps that step i depends on, sorted, all smaller than i. Branch 0 gets the first step,
/// and a branch gets a step only if the step depends on everything in that branch, except when all are in
/// use.
std::vector<Placement> place_in_branches(const std::vector<std::vector<std::size_t>>& after);

/// The last step of each branch. Their ends are the end of the graph.
std::vector<std::size_t> last_steps(const std::vector<Placement>& placements);

}  // namespace vgpu::cudart::client
