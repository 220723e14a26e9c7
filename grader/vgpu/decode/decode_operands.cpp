// Decoder: operands of instructions that compute.
#include <fmt/format.h>

#include "vgpu/analysis/spelling.hpp"
#include "vgpu/decode/decoder.hpp"
#include "vgpu/flow/control.hpp"
#include "vgpu/flow/warp_groups.hpp"
#include "vgpu/handlers/forms.hpp"
#include "vgpu/state/global_memory.hpp"

namespace vgpu::exec {
namespace {

/// The bit of d.option for a predicate spelled !%p.
std::uint8_t negation(const ptx::Operand& operand) { return operand.negated ? kNegatedOperand : 0; }

bool is_upper_clock(const ptx::SpecialRegister& reg) {
  return reg.name == "clock_hi" || reg.name == "globaltimer_hi";
}

std::uint64_t window_of(ptx::Space space) {
  switch (space) {
    case ptx::Space::shared:
      return kSharedWindow;
    case ptx::Space::local:
      return kLocalWindow;
    case ptx::Space::param:
      return kParameterWindow;
    default:
      return 0;  // global and constant addresses are generic addresses
  }
}

}  // namespace

const ptx::Operand& operand(const ptx::Instruction& instruction, std::size_t index) {
  if (index >= instruction.operands.size()) {
    throw Unsupported{fmt::format("has {} operands", instruction.operands.size())};
  }
  return instruction.operands[index];
}

bool is_sink(const ptx::Operand& operand) { return std::holds_alternative<std::monostate>(operand.value); }

const Form& Decoder::form_named(const std::string& name) const {
  const Form* found = forms().find(name);
  if (found == nullptr) throw Unsupported{""};
  return *found;
}

/// Decodes instructions whose handler does not follow from their name alone; false for all others.
bool Decoder::decoded_without_form(Decoded& d, const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case ptx::Opcode::cvta:
      convert_address(d, instruction);
      return true;
    case ptx::Opcode::createpolicy:
      cache_policy(d, instruction);
      return true;
    case ptx::Opcode::movmatrix:
      move_matrix(d, instruction);
      return true;
    case ptx::Opcode::mov:
      return move_vector(d, instruction);
    case ptx::Opcode::ld:
      if (!load_parameter(d, instruction)) load_or_store(d, instruction);
      return true;
    case ptx::Opcode::ldu:
    case ptx::Opcode::st:
      load_or_store(d, instruction);
      return true;
    case ptx::Opcode::tex:
      texture_fetch(d, instruction);
      return true;
    case ptx::Opcode::suld:
    case ptx::Opcode::sust:
      surface_access(d, instruction);
      return true;
    default:
      return false;
  }
}

Decoded Decoder::formed(const ptx::Instruction& instruction, std::uint32_t index) {
  Decoded d;
  d.origin = origin_;
  d.extra = d.b = d.c = kNowhere;
  if (decoded_without_form(d, instruction)) return d;
  const Form& form = form_named(table_name(instruction));
  d.run = form.handler;
  d.counted_as = static_cast<std::uint8_t>(form.counted_as);
  d.option = form.option;
  switch (form.shape) {
    case Shape::compare:
      compare(d, form, instruction);
      break;
    case Shape::move:
      move(d, form, instruction);
      break;
    case Shape::lookup_and_combine:
      lookup_and_combine(d, instruction);
      break;
    case Shape::async_copy:
      async_copy(d, form, instruction);
      break;
    case Shape::memory_barrier:
      memory_barrier(d, form, instruction);
      break;
    case Shape::wait_group:
      wait_group(d, instruction);
      break;
    case Shape::matrix_product:
      matrix_product(d, form, instruction);
      break;
    case Shape::warp_wide:
      warp_wide(d, form, instruction);
      break;
    case Shape::atomic:
    case Shape::reduce:
      atomic(d, form, instruction, use_.result_needed[index]);
      break;
    default:
      lanes(d, form, instruction);
      break;
  }
  return d;
}

void Decoder::lanes(Decoded& d, const Form& form, const ptx::Instruction& instruction) {
  d.dst = operands_.destination(operand(instruction, 0), form.operands[0]);
  std::uint32_t* const places[] = {&d.a, &d.b, &d.c, &d.extra};
  std::size_t i = 1;
  for (; i < form.operands.size() && form.operands[i] != Lane::none; ++i) {
    const ptx::Operand& from = operand(instruction, i);
    if (from.negated) throw Unsupported{"with a negated predicate"};
    *places[i - 1] = operands_.source(from, form.operands[i]);
  }
  // The form would silently ignore further operands.
  if (i < instruction.operands.size()) throw Unsupported{"with an additional operand"};
}

void Decoder::compare(Decoded& d, const Form& form, const ptx::Instruction& instruction) {
  const ptx::Operand& to = operand(instruction, 0);
  d.dst = is_sink(to) ? kNowhere : operands_.destination(to, Lane::predicate);
  d.a = operands_.source(operand(instruction, 1), form.operands[1]);
  d.b = operands_.source(operand(instruction, 2), form.operands[2]);
  if (to.second) d.extra = operands_.register_at(*to.second, Lane::predicate);
  if (form.option != 0) {
    d.c = operands_.source(operand(instruction, 3), Lane::predicate);
    d.option |= negation(instruction.operands[3]);
  }
  // The handler for two destinations and for a combination with a third predicate (add_setp_forms()).
  if (d.dst == kNowhere || d.extra != kNowhere || d.c != kNowhere) d.run = form.memory[0];
}

/// lop3.and.b32 d|p, a, b, c, table, q
void Decoder::lookup_and_combine(Decoded& d, const ptx::Instruction& instruction) {
  const ptx::Operand& to = operand(instruction, 0);
  d.dst = is_sink(to) ? kNowhere : operands_.destination(to, Lane::b32);
  if (!to.second) throw Unsupported{"without a predicate to write"};
  d.a = operands_.source(operand(instruction, 1), Lane::b32);
  d.b = operands_.source(operand(instruction, 2), Lane::b32);
  d.c = operands_.source(operand(instruction, 3), Lane::b32);
  const ptx::Operand& q = operand(instruction, 5);
  d.option |= negation(q);
  d.extra =
      add_list({operands_.source(operand(instruction, 4), Lane::b32),
                operands_.register_at(*to.second, Lane::predicate), operands_.source(q, Lane::predicate)});
}

void Decoder::move(Decoded& d, const Form& form, const ptx::Instruction& instruction) {
  d.dst = operands_.destination(operand(instruction, 0), form.operands[0]);
  const ptx::Operand& from = operand(instruction, 1);
  const auto* special = std::get_if<ptx::SpecialRegister>(&from.value);
  if (special != nullptr && is_clock(*special)) {
    program_.reads_clock = true;
    d.run = special->name.starts_with("global") ? control::read_timer : control::read_clock;
    const bool is_whole = bytes_of(form.operands[0]) == sizeof(std::uint64_t);
    d.option = static_cast<std::uint8_t>(is_upper_clock(*special) ? control::ClockPart::upper_half
                                         : is_whole               ? control::ClockPart::whole
                                                                  : control::ClockPart::lower_half);
    return;
  }
  const auto* symbol = std::get_if<ptx::Symbol>(&from.value);
  std::uint64_t offset = 0;
  if (symbol != nullptr && is_in_frame(symbol->name, offset)) {
    // The place of a frame depends on the calls so far, so its base is in a register.
    if (bytes_of(form.operands[0]) != sizeof offset) throw Unsupported{"with 32-bit addresses"};
    d.run = form_named("add.u64").handler;
    d.a = calls_.self->frame_base;
    d.b = operands_.constant(offset, sizeof offset);
    return;
  }
  d.a = operands_.source(from, form.operands[1]);
}

/// mov.b64 {a, b}, c and mov.b64 c, {a, b}; false if no operand is a vector.
bool Decoder::move_vector(Decoded& d, const ptx::Instruction& instruction) {
  if (instruction.operands.empty()) return false;
  const auto* to = std::get_if<ptx::Vector>(&instruction.operands[0].value);
  const auto* from = std::get_if<ptx::Vector>(&operand(instruction, 1).value);
  if (to == nullptr && from == nullptr) return false;
  const bool is_pack = to == nullptr;
  const ptx::Vector& parts = is_pack ? *from : *to;
  const std::size_t bytes = size_of(type_of(instruction));
  const Form& form =
      form_named(fmt::format("{}{}.{}", is_pack ? "pack" : "unpack", bytes * 8, parts.elements.size()));
  d.run = form.handler;
  d.counted_as = static_cast<std::uint8_t>(form.counted_as);
  const Lane whole = bytes == 8 ? Lane::b64 : Lane::b32;
  std::vector<std::uint32_t> places;
  for (const ptx::Operand& part : parts.elements) {
    if (is_pack) {
      places.push_back(operands_.source(part, Lane::b32));
    } else {
      places.push_back(is_sink(part) ? kNowhere : operands_.destination(part, Lane::b32));
    }
  }
  d.extra = add_list(std::move(places));
  if (is_pack) {
    d.dst = operands_.destination(operand(instruction, 0), whole);
  } else {
    d.a = operands_.source(operand(instruction, 1), whole);
  }
  return true;
}

void Decoder::convert_address(Decoded& d, const ptx::Instruction& instruction) {
  const bool to_space = !instruction.modifiers.empty() && instruction.modifiers.front() == "to";
  const bool is_wide = type_of(instruction) == ptx::Type::u64;
  const std::uint64_t window = window_of(space_of(instruction));
  if (!is_wide) throw Unsupported{"with 32-bit addresses"};
  // Global addresses are generic addresses already (PTX ISA, "Generic Addressing").
  const Form& form = form_named(window == 0 ? "mov.u64" : "add.u64");
  d.run = form.handler;
  d.counted_as = static_cast<std::uint8_t>(InstructionClass::move);
  d.dst = operands_.destination(operand(instruction, 0), Lane::b64);
  d.a = operands_.source(operand(instruction, 1), Lane::b64);
  // Modulo 2^64, adding 0 - window subtracts it.
  if (window != 0) d.b = operands_.constant(to_space ? 0 - window : window, 8);
}

/// Policies are hints that accesses here ignore, so any value is right.
void Decoder::cache_policy(Decoded& d, const ptx::Instruction& instruction) {
  d.run = form_named("mov.b64").handler;
  d.counted_as = static_cast<std::uint8_t>(InstructionClass::move);
  d.dst = operands_.destination(operand(instruction, 0), Lane::b64);
  d.a = operands_.constant(0, sizeof(std::uint64_t));
}

void Decoder::warp_wide(Decoded& d, const Form& form, const ptx::Instruction& instruction) {
  d.guarded = form.handler;
  d.run = control::gather_groups;
  const ptx::Operand& to = operand(instruction, 0);
  d.dst = is_sink(to) ? kNowhere : operands_.destination(to, form.operands[0]);
  if (to.second) d.extra = operands_.register_at(*to.second, Lane::predicate);
  std::size_t next = 1;
  for (std::uint32_t* place : {&d.a, &d.b, &d.c}) {
    if (form.operands[next] == Lane::none) break;
    const ptx::Operand& from = operand(instruction, next);
    *place = operands_.source(from, form.operands[next]);
    d.option |= negation(from);
    ++next;
  }
  d.guard = operands_.source(operand(instruction, next), Lane::b32);
  if (instruction.opcode == ptx::Opcode::shfl) d.option |= control::kRunsGroupsTogether;
}

}  // namespace vgpu::exec
