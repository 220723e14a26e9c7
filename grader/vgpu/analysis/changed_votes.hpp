// Changes what the lanes of a warp learn from each other, apart from floats (Scaled::votes in
// vgpu/facts/experiment.hpp). What names the lanes that take part in a later vote, shuffle or barrier stays
// the same. Pure. Covered by tests/vgpu/scaling_test.cpp.
#pragma once

#include "vgpu/facts/experiment.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// No effect for other experiments.
void change_votes(ptx::Module& module, Scaled experiment);

}  // namespace vgpu::exec
