// Atomics that machine code does once for a warp. Where the code itself shows that all lanes name one
// address, the assembler lets the warp combine its integers in registers (REDUX, or a vote and a count of
// bits) and sends one lane. It does not for floating-point numbers, whose sum depends on the order, nor for
// addresses that come from memory. Seen on an H200: counting with atomicAdd(count, 1) takes as long for four
// lanes of a warp as for one; grader/doc/validation.md has the times.
#pragma once

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

bool is_combined_atomic(const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace vgpu::exec
