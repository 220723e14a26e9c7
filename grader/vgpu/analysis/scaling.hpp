// Changes kernels so that values are scaled on their way (vgpu/facts/experiment.hpp). Pure.
#pragma once

#include "vgpu/facts/experiment.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// Adds to every instruction that brings such values others that scale them. Values of 8 and 16 bits, and
/// those that atomics or asynchronous copies store, are not scaled on their way in. No effect for experiments
/// with other orders.
void scale_values(ptx::Module& module, Scaled scaled);

}  // namespace vgpu::exec
