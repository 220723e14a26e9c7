// Modelled kernel time: each of the device's parts works at its peak rate, the slowest decides. No latency,
// no cache, no launch overhead: a bound in the sense of the roofline model, exact in its inputs.
#pragma once

#include "vgpu/device.hpp"

namespace vgpu {

/// Time of a launch of `blocks` blocks; blocks of an SM share its lanes and its shared memory.
KernelTime kernel_time(const Profile& profile, const Counters& counters, std::uint64_t blocks);

}  // namespace vgpu
