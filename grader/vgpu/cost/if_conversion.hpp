// The conditional branches that the assembler turns into predicates, so that a profiler does not count them
// as branches: those around one or two short pieces of straight-line code (if, if-else), and early returns.
// ptxas's rules are not published; this rule is a guess that grader/doc/validation.md compares with Nsight
// Compute. Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include <vector>

#include "vgpu/ptx/control_flow.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// By instruction; true for conditional branches that become predicates.
std::vector<bool> predicated_branches(const ptx::Function& function, const ptx::ControlFlow& flow);

}  // namespace vgpu::exec
