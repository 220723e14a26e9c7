// Where the lanes of a warp meet again after a branch: the control-flow graph of a function and the immediate
// post-dominators of its branches.
//
// A lane that leaves the function never meets the others again, so leaving is not a join: a guarded `ret` or
// `exit`, and a branch to a block that consists of one of these, count as straight-line code (as on hardware,
// where an early return is a predicated EXIT). Without that rule `if (a) { if (b) return; … } rest;` would
// run `rest` once for each side of `a`. If lanes leave a loop by such branches only, as is common for the
// last loop of a kernel, no code follows the loop where its lanes could meet. Its branches then meet in each
// iteration, at the loop's head at the latest. The same applies to a loop with barriers that lanes leave
// directly or after a few statements of their own.
//
// Covered by tests/ptx/control_flow_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/ptx/module.hpp"

namespace vgpu::ptx {

/// Instruction indexes; code.size() means the function's end. All vectors except the last have one element
/// per instruction.
struct ControlFlow {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Where diverged lanes meet again; kNone unless the instruction is a guarded bra or a brx.idx.
  std::vector<std::uint32_t> reconvergence;
  /// The target of a bra; for brx.idx, the index of its list in `branch_lists`; kNone for other instructions.
  std::vector<std::uint32_t> target;
  /// Function::branch_targets as instruction indexes.
  std::vector<std::vector<std::uint32_t>> branch_lists;
};

/// Time O(n log n), memory O(n) in instructions and branch targets, for every shape of graph. The
/// error names the branch whose target is not a label, and its PTX line.
grader::Expected<ControlFlow, ParseError> analyse(const Function& function);

}  // namespace vgpu::ptx
