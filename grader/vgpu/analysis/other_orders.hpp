// Changes kernels so that their threads run in another order that a GPU can have, too
// (Scaled::active_masks, block_order and block_turns in vgpu/facts/experiment.hpp). Pure.
#pragma once

#include "vgpu/facts/experiment.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// No effect for experiments that scale values.
void change_order(ptx::Module& module, Scaled experiment);

}  // namespace vgpu::exec
