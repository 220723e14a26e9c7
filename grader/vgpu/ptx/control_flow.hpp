// Where the lanes of a warp meet again after a branch: the control-flow graph of a function and the immediate
// post-dominators of its branches.
//
// A lane that leaves the function never meets the others again, so leaving is no join: a guarded `ret` or
// `exit`, and a branch to a block that is nothing but one, count as straight-line code (as on hardware, where
// an early return is a predicated EXIT). Without that rule `if (a) { if (b) return; … } rest;` would run
// `rest` once for each side of `a`. A loop that is left by such branches only, as the last loop of a kernel
// often is, has no place behind it to meet; its branches meet in each round, at its head at the latest. The
// same holds for a loop with barriers in it that lanes leave straight or after a few statements of their own.
//
// Covered by tests/ptx/control_flow_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/ptx/module.hpp"

namespace vgpu::ptx {

/// Instruction indexes; code.size() stands for the function's end. All vectors but the last have one element
/// for each instruction.
struct ControlFlow {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Where diverged lanes meet again; kNone unless the instruction is a guarded bra or a brx.idx.
  std::vector<std::uint32_t> reconvergence;
  /// Where a bra goes; for brx.idx, the index of its list in `branch_lists`; kNone for the rest.
  std::vector<std::uint32_t> target;
  /// Function::branch_targets as instruction indexes.
  std::vector<std::vector<std::uint32_t>> branch_lists;
};

/// Time O(n log n), memory O(n) in instructions and branch targets, whatever the shape of the graph. The
/// error names the branch that does not go to a label, and its PTX line.
grader::Expected<ControlFlow, ParseError> analyse(const Function& function);

}  // namespace vgpu::ptx
