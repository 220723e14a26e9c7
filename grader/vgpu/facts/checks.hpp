// The optional checks of a launch.
#pragma once

namespace vgpu {

/// Checks beyond those that always run and stop a kernel (bounds, barriers, …). They cost time and change no
/// result and no counter.
struct Checks {
  bool races = false;          ///< in shared and global memory
  bool uninitialised = false;  ///< reads of shared and global memory that was never written

  static constexpr Checks all() { return {true, true}; }
  bool any() const { return races || uninitialised; }
};

}  // namespace vgpu
