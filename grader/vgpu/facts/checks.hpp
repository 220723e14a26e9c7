// Which checks run on a launch.
#pragma once

namespace vgpu {

/// What is looked for beyond what cannot go on (out of bounds, barriers, …). Costs time, changes no result
/// and no counter.
struct Checks {
  bool races = false;          ///< in shared and global memory
  bool uninitialised = false;  ///< reads of shared and global memory that nobody has written

  static constexpr Checks all() { return {true, true}; }
  bool any() const { return races || uninitialised; }
};

}  // namespace vgpu
