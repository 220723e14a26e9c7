// Changes kernels so that values are doubled on their way (vgpu/facts/doubled.hpp). Pure.
#pragma once

#include "vgpu/facts/doubled.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// Appends to every instruction that brings such values others that double them. Values of 8 and 16 bits stay
/// as they are.
void double_values(ptx::Module& module, Doubled doubled);

}  // namespace vgpu::exec
