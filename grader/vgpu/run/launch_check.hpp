// Checks a launch configuration before the kernel runs; the limits are those of a CUDA device.
#pragma once

#include <string>

#include "vgpu/run/device.hpp"

namespace vgpu::exec {

struct LaunchProblem {
  LaunchError error = LaunchError::none;
  std::string detail;  ///< a sentence with both numbers: the requested and the allowed one
};

LaunchProblem check_launch(const Launch& launch, const KernelInfo& kernel, const Profile& profile);

/// The number of blocks of the launch that the device can hold: the blocks per SM, limited by block slots,
/// threads, registers and shared memory, times the number of SMs. The launch has passed the other checks of
/// check_launch().
std::uint64_t resident_blocks(const Launch& launch, const KernelInfo& kernel, const Profile& profile);

}  // namespace vgpu::exec
