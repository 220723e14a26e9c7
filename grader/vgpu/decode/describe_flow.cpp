// Decoder: what an instruction reads and writes, for following values (check/value_flow.hpp).
#include <algorithm>
#include <array>

#include "vgpu/analysis/liveness.hpp"
#include "vgpu/analysis/spelling.hpp"
#include "vgpu/decode/decoder.hpp"
#include "vgpu/flow/control.hpp"

namespace vgpu::exec {
namespace {

FlowStep::Kind kind_of(const ptx::Instruction& instruction) {
  const auto& traits = instruction.traits();
  if (instruction.opcode == ptx::Opcode::shfl) return FlowStep::Kind::shuffle;
  const bool is_arithmetic = traits.role == ptx::Role::compute && traits.access == ptx::Access::none;
  // The carry flag is no register that could have a label.
  static constexpr std::array kCarry{ptx::Opcode::addc, ptx::Opcode::subc, ptx::Opcode::madc};
  const bool has_carry = has_modifier(instruction, "cc") ||
                         std::find(kCarry.begin(), kCarry.end(), instruction.opcode) != kCarry.end();
  if (!is_arithmetic || has_carry || has_modifier(instruction, "sync")) return FlowStep::Kind::use;
  return instruction.opcode == ptx::Opcode::selp ? FlowStep::Kind::select : FlowStep::Kind::lanewise;
}

}  // namespace

void Decoder::describe_flow(const ptx::Instruction& instruction, std::size_t first) {
  CheckedSites& checked = program_.checked;
  checked.steps.resize(program_.code.size());
  FlowStep step;
  if (instruction.guard) step.guard = operands_.register_at(instruction.guard->predicate, Lane::predicate);
  // Instructions of the virtual GPU around the program's own, such as the branch that stands for a guard.
  std::size_t own = program_.code.size();
  for (std::size_t i = first; i < program_.code.size(); ++i) {
    checked.steps[i] = step;
    if (program_.code[i].counted_as != kUncountedClass) own = i;
  }
  if (own == program_.code.size()) return;
  const Uses uses = uses_of(instruction);
  constexpr std::size_t kMost = 255;
  if (uses.reads.size() > kMost || uses.writes.size() > kMost) return;
  step.kind = kind_of(instruction);
  step.is_guarded = program_.code[own].run == control::guard;
  step.first = static_cast<std::uint32_t>(checked.step_registers.size());
  const auto add = [&](std::uint32_t reg) { checked.step_registers.push_back(operands_.place_of(reg)); };
  if (step.kind == FlowStep::Kind::select) {
    for (std::size_t i = 1; i <= 3; ++i) {
      const auto* reg = std::get_if<ptx::Register>(&instruction.operands[i].value);
      checked.step_registers.push_back(reg == nullptr ? kNowhere : operands_.place_of(reg->index));
    }
    step.reads = 3;
    if (checked.step_registers.back() == kNowhere) step.kind = FlowStep::Kind::lanewise;
  } else {
    std::for_each(uses.reads.begin(), uses.reads.end(), add);
    step.reads = static_cast<std::uint8_t>(uses.reads.size());
  }
  std::for_each(uses.writes.begin(), uses.writes.end(), add);
  step.writes = static_cast<std::uint8_t>(uses.writes.size());
  checked.steps[own] = step;
}

}  // namespace vgpu::exec
