// Atomics that machine code executes once per warp. If the code shows that all lanes name the same address,
// the assembler makes the warp combine its integers in registers (REDUX, or a vote and a bit count), and one
// lane sends the result. It does not do so for floating-point numbers, whose sum depends on the order, nor
// for addresses loaded from memory. Evidence from an H200: counting with atomicAdd(count, 1) takes as long
// for four lanes of a warp as for one (grader/doc/validation.md has the times).
#pragma once

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

bool is_combined_atomic(const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace vgpu::exec
