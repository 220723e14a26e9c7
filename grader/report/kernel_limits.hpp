// What limits a kernel: the part of the device that takes longest, and the resource that limits its
// occupancy. Pure. Tested by tests/report/kernel_limits_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "vgpu/run/device.hpp"

namespace grader {

/// "6 blocks per SM, limited by threads (256 per block)": with the amount that a block or a thread uses of
/// the resource that limits the number of blocks.
std::string occupancy_reason(const vgpu::LaunchRecord& launch);

/// "tiled_kernel: limited by DRAM; occupancy 67 % (8 blocks per SM, limited by blocks)".
std::string limits_text(const vgpu::LaunchRecord& launch);

/// The kernel with the longest modelled time: its launches count together, and its longest launch is
/// returned. nullptr if no launch ran to its end.
const vgpu::LaunchRecord* longest_kernel(const std::vector<vgpu::LaunchRecord>& launches);

}  // namespace grader
