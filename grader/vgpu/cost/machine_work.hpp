// Estimates of the machine code for PTX instructions, as far as time depends on it: issue slots, the unit
// that executes them, and chains of dependent instructions. The assembler's rules are not published; these
// rules are guesses that grader/doc/validation.md compares with Nsight Compute.
//
// - Instructions that vanish: moves, address conversions, parameter loads (operands can name parameters),
//   predicate logic, accesses that merge into a neighbour's (shared_merging.hpp), branches that become
//   predicates (if_conversion.hpp), an addition that is fused with the multiplication before it, or that adds
//   1 under a predicate.
// - Instructions that become several: 64-bit additions, divisions, square roots, …
// - Waiting: code between two remaining branches is scheduled freely, so a warp executes it in the time of
//   its longest chain. Barriers and accesses that depend on earlier memory accesses keep their order. Code
//   after a branch waits for the code before it, and for the branch, which takes two arithmetic latencies.
//   Loops that the assembler unrolls have less to wait for (unrolled_loops.hpp).
// Covered by tests/vgpu/machine_work_test.cpp.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vgpu/model/work.hpp"
#include "vgpu/ptx/control_flow.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

struct Program;
struct SiteCounts;

struct InstructionWork {
  std::uint8_t slots = 1;  ///< machine instructions
  Pipe pipe = Pipe::none;
  std::uint8_t on_pipe = 1;  ///< how many of them the pipe executes
};
InstructionWork work_of(const ptx::Instruction& instruction);

/// The latencies along the longest chain of code that runs `executions` times without a remaining branch.
struct Waits {
  std::array<std::uint16_t, kWaits> latencies{};  ///< by Wait
  std::uint8_t executions = 1;

  std::uint16_t& operator[](Wait wait) { return latencies[static_cast<std::size_t>(wait)]; }
  std::uint16_t operator[](Wait wait) const { return latencies[static_cast<std::size_t>(wait)]; }
};

/// Code without a remaining branch or a read of the clock before its end.
struct Stretch {
  std::uint32_t begin = 0, end = 0;  ///< instructions [begin, end)
  Waits waits;
};
std::vector<Stretch> stretches_of(const ptx::Function& function, const ptx::ControlFlow& flow);

/// The work to count at one index of Program::code.
struct WorkSite {
  std::uint32_t code = 0;
  InstructionWork work;
  bool begins_stretch = false;  ///< `waits` is that of the stretch which begins here
  Waits waits;
};
using WorkSites = std::vector<WorkSite>;

/// The work of one function of a program. `code_of`: by instruction, the index of its first counted entry in
/// Program::code.
WorkSites work_sites(const ptx::Function& function, const ptx::ControlFlow& flow,
                     const std::vector<std::uint32_t>& code_of,
                     const std::unordered_map<std::uint32_t, std::uint8_t>& merged);

/// The sum over all instructions that ran.
Work work_of(const Program& program, const SiteCounts& counts);

}  // namespace vgpu::exec
