// Finds the approximate functions of a kernel and follows their results through registers and memory: forward
// data flow without order (a register that holds a result once counts as holding one everywhere; likewise a
// state space, if a result is stored in it). Covered by tests/vgpu/approximations_test.cpp.
#pragma once

#include <span>

#include "vgpu/facts/approximations.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// Whether the instruction's result is an approximation by its definition: ex2.approx, sin.approx, div.full,
/// …
bool is_approximate(const ptx::Instruction& instruction);

/// `functions`: the kernel and the functions that it calls, with simple calls inlined. `files`:
/// ptx::Module::files.
Approximations find_approximations(std::span<const ptx::Function> functions,
                                   const std::vector<std::string>& files);

}  // namespace vgpu::exec
