// What PTX instructions become as machine code, as far as time depends on it: issue slots, the unit that
// takes them, and chains of instructions that wait for each other. The assembler's rules are not published;
// these are guesses, held against Nsight Compute in grader/doc/validation.md.
//
// - Instructions that vanish: moves, address conversions, parameter loads (operands can name parameters),
//   predicate logic, accesses that merge into a neighbour's (shared_merging.hpp), branches that become
//   predicates (if_conversion.hpp), an addition that a multiplication before it takes along, or that adds 1
//   where a predicate holds.
// - Instructions that become several: 64-bit additions, divisions, square roots, …
// - Waiting: code between two branches that stay branches is scheduled freely, so a warp passes it in the
//   time of its longest chain. Barriers and what waits for memory to be read or written keep their order.
//   Code after a branch waits for code before it, and for the branch, which takes two steps.
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
  std::uint8_t on_pipe = 1;  ///< of these, those that the pipe takes
};
InstructionWork work_of(const ptx::Instruction& instruction);

/// Code that a warp passes in one go, and what it waits for along its longest chain.
struct Stretch {
  std::uint32_t begin = 0, end = 0;  ///< instructions [begin, end)
  std::array<std::uint16_t, kWaits> waits{};
};
std::vector<Stretch> stretches_of(const ptx::Function& function, const ptx::ControlFlow& flow);

/// What to count where, by index into Program::code.
struct WorkSite {
  std::uint32_t code = 0;
  InstructionWork work;
  bool begins_stretch = false;  ///< of code that waits:
  std::array<std::uint16_t, kWaits> waits{};
};
using WorkSites = std::vector<WorkSite>;

/// Of one function of a program. `code_of`: by instruction, the first of its Program::code that is counted.
WorkSites work_sites(const ptx::Function& function, const ptx::ControlFlow& flow,
                     const std::vector<std::uint32_t>& code_of,
                     const std::unordered_map<std::uint32_t, std::uint8_t>& merged);

/// Sums over everything that ran.
Work work_of(const Program& program, const SiteCounts& counts);

}  // namespace vgpu::exec
