// What a launch configuration must satisfy before anything runs; the same limits as a CUDA device's.
#pragma once

#include <string>

#include "vgpu/run/device.hpp"

namespace vgpu::exec {

struct LaunchProblem {
  LaunchError error = LaunchError::none;
  std::string detail;  ///< both numbers: what was asked for and what is allowed
};

LaunchProblem check_launch(const Launch& launch, const KernelInfo& kernel, const Profile& profile);

/// Blocks of the launch that the device holds at once: per SM, the scarcest of block slots, threads,
/// registers and shared memory, times the SMs. The launch satisfies check_launch but for `cooperative`.
std::uint64_t resident_blocks(const Launch& launch, const KernelInfo& kernel, const Profile& profile);

}  // namespace vgpu::exec
