// The cost of one execution of a memory instruction, from its lanes' addresses. Pure. Covered by
// tests/vgpu/recording_test.cpp.
#pragma once

#include "vgpu/state/access.hpp"

namespace vgpu::exec {

/// Of the lanes in `lanes`: distinct sectors of global memory, or wavefronts of shared memory.
AccessCost cost_of_access(const AccessForm& form, std::uint32_t lanes, const Addresses& addresses);

}  // namespace vgpu::exec
