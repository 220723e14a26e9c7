#include "vgpu/cudart/client/streams/branches.hpp"

#include <algorithm>

namespace vgpu::cudart::client {
namespace {

/// For each branch, the number of its steps that must have ended.
using Reach = std::vector<std::size_t>;

void join(Reach& into, const Reach& other) {
  into.resize(std::max(into.size(), other.size()));
  for (std::size_t b = 0; b < other.size(); ++b) into[b] = std::max(into[b], other[b]);
}

std::size_t of_branch(const Reach& reach, unsigned branch) {
  return branch < reach.size() ? reach[branch] : 0;
}

struct Branches {
  std::vector<std::size_t> lengths;
  std::vector<Reach> ends;  ///< what has ended when the branch's last step has ended

  /// Prefers the branch of the oldest dependency: later steps rather follow the others. Then any branch
  /// without a step that could still run.
  unsigned choose(const Reach& reach, const std::vector<unsigned>& of_dependencies, std::size_t step) const {
    const auto is_free = [&](unsigned branch) { return of_branch(reach, branch) == lengths[branch]; };
    for (const unsigned branch : of_dependencies)
      if (is_free(branch)) return branch;
    const auto count = static_cast<unsigned>(lengths.size());
    for (unsigned branch = 0; branch < count; ++branch)
      if (is_free(branch)) return branch;
    return count < kMaxBranches ? count : static_cast<unsigned>(step % kMaxBranches);
  }
};

}  // namespace

std::vector<Placement> place_in_branches(const std::vector<std::vector<std::size_t>>& after) {
  std::vector<Placement> placements(after.size());
  std::vector<Reach> reaches(after.size());
  Branches branches;
  for (std::size_t step = 0; step < after.size(); ++step) {
    Reach reach;
    std::vector<unsigned> of_dependencies;
    for (const std::size_t other : after[step]) {
      join(reach, reaches[other]);
      of_dependencies.push_back(placements[other].branch);
    }
    Placement& here = placements[step];
    here.branch = branches.choose(reach, of_dependencies, step);
    if (here.branch == branches.lengths.size()) {
      branches.lengths.push_back(0);
      branches.ends.emplace_back();
    }
    Reach& own = branches.ends[here.branch];
    for (const std::size_t other : after[step]) {
      const unsigned branch = placements[other].branch;
      if (of_branch(own, branch) >= reaches[other][branch]) continue;  // waited for by an earlier step
      here.awaited.push_back(other);
      placements[other].is_awaited = true;
    }
    join(own, reach);
    own.resize(std::max<std::size_t>(own.size(), here.branch + 1));
    own[here.branch] = ++branches.lengths[here.branch];
    reaches[step] = own;
  }
  return placements;
}

std::vector<std::size_t> last_steps(const std::vector<Placement>& placements) {
  std::vector<std::size_t> last;
  for (std::size_t step = 0; step < placements.size(); ++step) {
    const unsigned branch = placements[step].branch;
    if (branch == last.size()) last.push_back(step);
    last[branch] = step;
  }
  return last;
}

}  // namespace vgpu::cudart::client
