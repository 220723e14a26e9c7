// Which conditional branches the assembler behind PTX turns into predicates, so that a profiler does not see
// them as branches: those around a short piece of straight-line code, or on both sides of one (if, if-else),
// and early returns. The rule is a guess at ptxas, which publishes none; measured against Nsight Compute in
// grader/doc/validation.md. Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include <vector>

#include "vgpu/ptx/control_flow.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// By instruction; true for conditional branches that become predicates.
std::vector<bool> predicated_branches(const ptx::Function& function, const ptx::ControlFlow& flow);

}  // namespace vgpu::exec
