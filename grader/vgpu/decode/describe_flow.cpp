// Decoder: what an instruction reads and writes, for following values (check/value_flow.hpp).
#include <algorithm>
#include <array>

#include "vgpu/analysis/liveness.hpp"
#include "vgpu/analysis/spelling.hpp"
#include "vgpu/decode/decoder.hpp"
#include "vgpu/flow/control.hpp"

namespace vgpu::exec {
namespace {

using Bits = FlowStep::Bits;

bool is_load_or_store(const ptx::Instruction& instruction) {
  return instruction.opcode == ptx::Opcode::ld || instruction.opcode == ptx::Opcode::ldu ||
         instruction.opcode == ptx::Opcode::st;
}

bool is_exchange(const ptx::Instruction& instruction) {
  return instruction.opcode == ptx::Opcode::atom &&
         (has_modifier(instruction, "exch") || has_modifier(instruction, "cas"));
}

/// The operand that is the address in memory; operands.size() if there is none.
std::size_t address_operand(const ptx::Instruction& instruction) {
  const auto is_address = [](const ptx::Operand& one) {
    return std::holds_alternative<ptx::Address>(one.value);
  };
  const auto& all = instruction.operands;
  return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_address) - all.begin());
}

FlowStep::Kind kind_of(const ptx::Instruction& instruction, bool has_site) {
  const auto& traits = instruction.traits();
  if (instruction.opcode == ptx::Opcode::shfl) return FlowStep::Kind::shuffle;
  if (address_operand(instruction) < instruction.operands.size()) {
    const bool is_untracked_store = instruction.opcode == ptx::Opcode::st && !has_site;
    if (is_exchange(instruction) || is_untracked_store) return FlowStep::Kind::untracked;
    if (has_site && is_load_or_store(instruction))
      return traits.has_destination ? FlowStep::Kind::load : FlowStep::Kind::store;
  }
  const bool is_arithmetic = traits.role == ptx::Role::compute && traits.access == ptx::Access::none;
  // The carry flag is no register that could have a label.
  static constexpr std::array kCarry{ptx::Opcode::addc, ptx::Opcode::subc, ptx::Opcode::madc};
  const bool has_carry = has_modifier(instruction, "cc") ||
                         std::find(kCarry.begin(), kCarry.end(), instruction.opcode) != kCarry.end();
  if (!is_arithmetic || has_carry || has_modifier(instruction, "sync")) return FlowStep::Kind::use;
  return instruction.opcode == ptx::Opcode::selp ? FlowStep::Kind::select : FlowStep::Kind::lanewise;
}

/// "u32", not "f32" or "bf16".
bool names_integer(std::string_view type) {
  return type.size() >= 2 && (type[0] == 's' || type[0] == 'u' || type[0] == 'b') && type[1] >= '0' &&
         type[1] <= '9';
}

/// cvt.to.from without any other modifier.
void describe_conversion(const ptx::Instruction& instruction, FlowStep& step) {
  const auto& modifiers = instruction.modifiers;
  if (modifiers.size() != 2 || !names_integer(modifiers[0]) || !names_integer(modifiers[1])) return;
  const auto bytes = [](const std::string& type) {
    return static_cast<std::uint8_t>(std::stoi(type.substr(1)) / 8);
  };
  step.bits = Bits::convert;
  step.bytes = bytes(modifiers[0]);
  step.from_bytes = bytes(modifiers[1]);
  step.is_signed = modifiers[1][0] == 's';
}

Bits bits_of_move(const ptx::Instruction& instruction) {
  const auto is_vector = [&](std::size_t i) {
    return std::holds_alternative<ptx::Vector>(instruction.operands[i].value);
  };
  if (instruction.operands.size() < 2) return Bits::any;
  return is_vector(0) ? Bits::unpack : is_vector(1) ? Bits::pack : Bits::move;
}

/// Rounding, saturation and other modes make each bit depend on all bits.
Bits bits_of_sum(const ptx::Instruction& instruction) {
  const bool is_plain = instruction.modifiers.size() == 1 ||
                        (instruction.modifiers.size() == 2 && instruction.modifiers[0] == "lo");
  return is_plain && names_integer(instruction.modifiers.back()) ? Bits::upwards : Bits::any;
}

void describe_bits(const ptx::Instruction& instruction, FlowStep& step) {
  step.bytes = static_cast<std::uint8_t>(size_of(type_of(instruction)));
  // Predicates: a defined operand can decide the result.
  const bool is_logic = instruction.opcode == ptx::Opcode::and_ || instruction.opcode == ptx::Opcode::or_;
  if (step.bytes == 0 && !is_logic) return;
  switch (instruction.opcode) {
    case ptx::Opcode::mov:
      step.bits = bits_of_move(instruction);
      return;
    case ptx::Opcode::cvt:
      return describe_conversion(instruction, step);
    case ptx::Opcode::and_:
      step.bits = Bits::conjunction;
      return;
    case ptx::Opcode::or_:
      step.bits = Bits::disjunction;
      return;
    case ptx::Opcode::xor_:
    case ptx::Opcode::not_:
      step.bits = Bits::bit_by_bit;
      return;
    case ptx::Opcode::lop3:
      step.bits = instruction.modifiers.size() == 1 ? Bits::bit_by_bit : Bits::any;
      return;
    case ptx::Opcode::add:
    case ptx::Opcode::sub:
    case ptx::Opcode::mul:
    case ptx::Opcode::mad:
    case ptx::Opcode::neg:
      step.bits = bits_of_sum(instruction);
      return;
    case ptx::Opcode::shl:
      step.bits = Bits::left;
      return;
    case ptx::Opcode::shr:
      step.bits = Bits::right;
      step.is_signed = instruction.modifiers.back().starts_with('s');
      return;
    case ptx::Opcode::prmt:
      step.bits = instruction.modifiers.size() == 1 ? Bits::permute : Bits::any;
      return;
    case ptx::Opcode::bfe:
      step.bits = Bits::extract;
      step.is_signed = instruction.modifiers.back().starts_with('s');
      return;
    case ptx::Opcode::bfi:
      step.bits = Bits::insert;
      return;
    default:
      return;
  }
}

}  // namespace

/// The registers of an operand, one entry per element; kNowhere for what is no register.
void Decoder::add_elements(const ptx::Operand& operand) {
  const auto add = [&](const ptx::Operand& one) {
    const auto* reg = std::get_if<ptx::Register>(&one.value);
    program_.checked.step_registers.push_back(reg == nullptr ? kNowhere : operands_.place_of(reg->index));
  };
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
    std::for_each(vector->elements.begin(), vector->elements.end(), add);
  } else {
    add(operand);
  }
}

void Decoder::describe_memory_step(const ptx::Instruction& instruction, FlowStep& step) {
  const std::size_t where = address_operand(instruction);
  const auto& address = std::get<ptx::Address>(instruction.operands[where].value);
  const auto* base = std::get_if<ptx::Register>(&address.base);
  auto& registers = program_.checked.step_registers;
  registers.push_back(base == nullptr ? kNowhere : operands_.place_of(base->index));
  for (std::size_t i = where + 1; i < instruction.operands.size(); ++i) add_elements(instruction.operands[i]);
  step.reads = static_cast<std::uint8_t>(registers.size() - step.first);
  if (where == 1) add_elements(instruction.operands[0]);
  step.bytes = static_cast<std::uint8_t>(size_of(type_of(instruction)));
  step.writes = static_cast<std::uint8_t>(registers.size() - step.first - step.reads);
}

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
  const bool has_site = own < checked.by_code.size() && checked.by_code[own].run != nullptr;
  step.kind = kind_of(instruction, has_site);
  step.is_guarded = program_.code[own].run == control::guard;
  step.first = static_cast<std::uint32_t>(checked.step_registers.size());
  const auto add = [&](std::uint32_t reg) { checked.step_registers.push_back(operands_.place_of(reg)); };
  switch (step.kind) {
    case FlowStep::Kind::load:
    case FlowStep::Kind::store:
    case FlowStep::Kind::untracked:
      describe_memory_step(instruction, step);
      break;
    case FlowStep::Kind::select:
      for (std::size_t i = 1; i <= 3; ++i) add_elements(instruction.operands[i]);
      step.reads = 3;
      if (checked.step_registers.back() == kNowhere) step.kind = FlowStep::Kind::lanewise;
      break;
    default:
      std::for_each(uses.reads.begin(), uses.reads.end(), add);
      step.reads = static_cast<std::uint8_t>(uses.reads.size());
  }
  if (step.writes == 0) {
    std::for_each(uses.writes.begin(), uses.writes.end(), add);
    step.writes = static_cast<std::uint8_t>(uses.writes.size());
  }
  if (step.kind == FlowStep::Kind::lanewise) describe_bits(instruction, step);
  checked.steps[own] = step;
}

}  // namespace vgpu::exec
