// Which bytes of its parameters a kernel can read. The others, such as the padding of structures, have no
// effect, and their values are often left over from other uses of the host's memory.
// Covered by tests/vgpu/parameter_use_test.cpp.
#pragma once

#include <vector>

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// By byte of lay_out(kernel.parameters). All bytes of a parameter whose address the kernel takes.
std::vector<bool> read_parameter_bytes(const ptx::Function& kernel);

}  // namespace vgpu::exec
