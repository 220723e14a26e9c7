// Decoder: cvt whose registers are wider than its types (PTX ISA, "Operand size exceeding instruction-type
// size"). Of the source, only the bits of its type count; the result is extended according to the sign of its
// own type. The manual allows wider registers for loads and stores, too; these have handlers for both widths
// (forms_memory.cpp).
#include "vgpu/analysis/spelling.hpp"
#include "vgpu/decode/decoder.hpp"

namespace vgpu::exec {
namespace {

bool is_integer(std::string_view type) { return type.starts_with('s') || type.starts_with('u'); }

/// True for a register of 64 bits that is not f64, where an instruction works on 32 bits or fewer.
bool is_wider(const ptx::Function& function, const Operands& operands, const ptx::Operand& operand,
              Lane lane) {
  const auto* reg = std::get_if<ptx::Register>(&operand.value);
  return reg != nullptr && lane == Lane::b32 && operands.lane_bytes(*reg) == 8 &&
         function.registers[reg->index].type != ptx::Type::f64;
}

}  // namespace

bool Decoder::wide_conversion(const ptx::Instruction& instruction) {
  if (instruction.opcode != ptx::Opcode::cvt || instruction.operands.size() != 2 ||
      instruction.modifiers.size() < 2)
    return false;
  const std::string name = table_name(instruction);
  const Form& form = form_named(name);
  const ptx::Operand& to = instruction.operands[0];
  const ptx::Operand& from = instruction.operands[1];
  const std::string& type = *(instruction.modifiers.end() - 2);
  const bool wide_result = is_integer(type) && is_wider(function_, operands_, to, form.operands[0]);
  const bool wide_source = is_wider(function_, operands_, from, form.operands[1]);
  if (!wide_result && !wide_source) return false;

  const std::uint32_t source = wide_source ? operands_.scratch() : operands_.source(from, form.operands[1]);
  const std::uint32_t result =
      wide_result ? operands_.scratch() : operands_.destination(to, form.operands[0]);
  begin_guarded(instruction);
  if (wide_source) emit_conversion("cvt.u32.u64", source, operands_.source(from, Lane::b64));
  emit_conversion(name, result, source).counted_as = static_cast<std::uint8_t>(form.counted_as);
  if (wide_result) {
    const char* const extend = type.front() == 's' ? "cvt.s64.s32" : "cvt.u64.u32";
    emit_conversion(extend, operands_.destination(to, Lane::b64), result);
  }
  end_guarded(instruction);
  return true;
}

Decoded& Decoder::emit_conversion(const std::string& form, std::uint32_t to, std::uint32_t from) {
  Decoded& d = emit(form_named(form).handler, InstructionClass::conversion);
  d.counted_as = kUncountedClass;
  d.dst = to;
  d.a = from;
  d.extra = d.b = d.c = kNowhere;
  return d;
}

}  // namespace vgpu::exec
