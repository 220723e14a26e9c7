// Decoder: operands of loads, stores and atomics.
#include "vgpu/analysis/spelling.hpp"
#include "vgpu/cost/combined_atomics.hpp"
#include "vgpu/decode/decoder.hpp"
#include "vgpu/state/access.hpp"

namespace vgpu::exec {
namespace {

/// Arguments and returned values up to this size are passed in registers, as ptxas reports for functions that
/// are not inlined: no bytes of stack.
constexpr std::size_t kRegisterArgumentBytes = 16;

bool is_float(ptx::Type type) { return type == ptx::Type::f32 || type == ptx::Type::f64; }

Lane lane_of(ptx::Type type) {
  if (type == ptx::Type::pred) return Lane::predicate;
  if (is_float(type)) return type == ptx::Type::f64 ? Lane::f64 : Lane::f32;
  return size_of(type) == 8 ? Lane::b64 : Lane::b32;
}

}  // namespace

/// ld.param of a kernel parameter at a fixed offset becomes a move from a vector that the launch fills.
bool Decoder::load_parameter(Decoded& d, const ptx::Instruction& instruction) {
  if (space_of(instruction) != ptx::Space::param) return false;
  const auto* address = std::get_if<ptx::Address>(&operand(instruction, 1).value);
  const auto* base = address == nullptr ? nullptr : std::get_if<ptx::Symbol>(&address->base);
  const auto* to = std::get_if<ptx::Register>(&operand(instruction, 0).value);
  if (base == nullptr || to == nullptr) return false;
  const auto& parameters = operands_.symbols().parameters;
  const auto found = parameters.offsets.find(base->name);
  if (found == parameters.offsets.end()) return false;
  const ptx::Type type = type_of(instruction);
  const std::uint64_t offset = found->second + static_cast<std::uint64_t>(address->offset);
  if (size_of(type) == 0 || offset % size_of(type) != 0 || offset + size_of(type) > parameters.bytes)
    return false;
  const bool is_signed = type == ptx::Type::s8 || type == ptx::Type::s16 || type == ptx::Type::s32;
  const std::uint8_t width = operands_.lane_bytes(*to);
  if (width < size_of(type)) return false;
  const Form& form = form_named(width == 8 ? "mov.b64" : "mov.b32");
  d.run = form.handler;
  d.counted_as = static_cast<std::uint8_t>(form.counted_as);
  d.dst = operands_.register_at(*to, width == 8 ? Lane::b64 : Lane::b32);
  d.a = operands_.parameter(offset, static_cast<std::uint8_t>(size_of(type)), is_signed, width);
  return true;
}

/// Of a call: an argument or a returned value, as the caller or the called function names it.
bool Decoder::is_passed_in_registers(const std::string& name) const {
  if (const auto known = passable_.find(name); known != passable_.end())
    return known->second->size_bytes <= kRegisterArgumentBytes;
  for (const auto* list : {&function_.parameters, &function_.returns})
    for (const ptx::Variable& one : *list)
      if (one.name == name) return one.size_bytes <= kRegisterArgumentBytes;
  return false;
}

void Decoder::load_or_store(Decoded& d, const ptx::Instruction& instruction) {
  const bool is_store = instruction.traits().access == ptx::Access::store;
  std::string name = table_name(instruction);
  const ptx::Operand& where = operand(instruction, is_store ? 0 : 1);
  bool is_argument = false;
  if (space_of(instruction) == ptx::Space::param) {
    // Parameters of calls are in the thread's local memory.
    const auto* at = std::get_if<ptx::Address>(&where.value);
    const auto* base = at == nullptr ? nullptr : std::get_if<ptx::Symbol>(&at->base);
    const bool is_local = base != nullptr && operands_.symbols().local.offsets.contains(base->name);
    if (is_local) name.replace(name.find(".param"), 6, ".local");
    is_argument = is_local && is_passed_in_registers(base->name);
  }
  const Form& form = form_named(name);
  const bool wide_address = address(d, where);
  const bool wide_value = value(d, operand(instruction, is_store ? 1 : 0), type_of(instruction), is_store);
  d.run = form.memory[(wide_address ? 2U : 0U) + (wide_value ? 1U : 0U)];
  if (d.run == nullptr) throw Unsupported{"with addresses or registers of this width"};
  d.counted_as = static_cast<std::uint8_t>(form.counted_as);
  d.memo = program_.memo_count++;
  const ptx::Space space = space_of(instruction);
  d.option = AccessOption{.is_strong = is_strong(instruction),
                          .is_traced = tracing_ == Tracing::on && space != ptx::Space::constant,
                          .is_argument = is_argument}
                 .packed();
  // Blocks can communicate through such an access.
  if (is_strong(instruction) && space == ptx::Space::global) program_.needs_block_order = true;
}

/// The operands of a vector atomic: the values to add, then the destinations of the old values, if any.
std::vector<std::uint32_t> Decoder::atomic_elements(const ptx::Vector& added, const ptx::Operand* old,
                                                    Lane lane) {
  std::vector<std::uint32_t> places;
  for (const ptx::Operand& element : added.elements) places.push_back(operands_.source(element, lane));
  const auto* to = old == nullptr ? nullptr : std::get_if<ptx::Vector>(&old->value);
  if (to == nullptr) return places;
  if (to->elements.size() != added.elements.size()) throw Unsupported{"with vectors of different lengths"};
  for (const ptx::Operand& element : to->elements)
    places.push_back(is_sink(element) ? kNowhere : operands_.destination(element, lane));
  return places;
}

void Decoder::atomic(Decoded& d, const Form& form, const ptx::Instruction& instruction, bool result_needed) {
  const bool has_result = form.shape == Shape::atomic;
  const std::size_t first = has_result ? 1 : 0;
  const bool keeps_old = has_result && result_needed && !is_sink(operand(instruction, 0));
  const bool wide_address = address(d, operand(instruction, first));
  const ptx::Operand& added = operand(instruction, first + 1);
  d.dst = kNowhere;
  if (const auto* vector = std::get_if<ptx::Vector>(&added.value)) {
    d.extra =
        add_list(atomic_elements(*vector, keeps_old ? &instruction.operands[0] : nullptr, form.operands[2]));
  } else {
    if (keeps_old) d.dst = operands_.destination(instruction.operands[0], form.operands[0]);
    d.b = operands_.source(added, form.operands[2]);
  }
  if (form.operands[3] != Lane::none)
    d.c = operands_.source(operand(instruction, first + 2), form.operands[3]);
  d.run = form.memory[wide_address ? 2 : 0];
  if (d.run == nullptr) throw Unsupported{"with addresses of 32 bits"};
  d.memo = program_.memo_count++;
  if (tracing_ == Tracing::on) {
    d.option = AccessOption{.is_traced = true,
                            .is_float_atomic = is_float(type_of(instruction)),
                            .is_combined_atomic = is_combined_atomic(function_, instruction)}
                   .packed();
  }
  // The old value depends on the blocks that ran before.
  if (keeps_old && space_of(instruction) == ptx::Space::global) program_.needs_block_order = true;
}

/// cp.async.ca.shared.global [to], [from], size{, source size or !ignored}
void Decoder::async_copy(Decoded& d, const Form& form, const ptx::Instruction& instruction) {
  Decoded to;
  const bool shared_is_wide = address(to, operand(instruction, 0));
  if (!address(d, operand(instruction, 1))) throw Unsupported{"with addresses of 32 bits"};
  const auto* size = std::get_if<ptx::Immediate>(&operand(instruction, 2).value);
  const std::uint64_t bytes = size == nullptr ? 0 : size->bits;
  if (bytes != 4 && bytes != 8 && bytes != 16) throw Unsupported{"of other than 4, 8 or 16 bytes"};
  d.run = form.memory[bytes == 4 ? 0 : bytes == 8 ? 1 : 2];
  std::uint32_t source_bytes = kNowhere;
  std::uint32_t ignored = kNowhere;
  // A cache policy is the last operand, after the optional size or predicate.
  const bool has_policy = has_modifier(instruction, "L2::cache_hint");
  if (instruction.operands.size() > (has_policy ? 4U : 3U)) {
    const ptx::Operand& fourth = instruction.operands[3];
    const auto* reg = std::get_if<ptx::Register>(&fourth.value);
    const bool is_predicate = reg != nullptr && operands_.lane_bytes(*reg) == 0;
    if (is_predicate && fourth.negated) throw Unsupported{"with a negated predicate"};
    (is_predicate ? ignored : source_bytes) =
        operands_.source(fourth, is_predicate ? Lane::predicate : Lane::b32);
  }
  d.extra = add_list(
      {to.a, shared_is_wide ? 1U : 0U, static_cast<std::uint32_t>(to.offset), source_bytes, ignored});
  d.memo = program_.memo_count;
  program_.memo_count += 2;  // loads of global memory, and stores to shared memory
  d.option = AccessOption{.is_traced = tracing_ == Tracing::on}.packed();
}

/// mbarrier.*: {d,} [a]{, b}
void Decoder::memory_barrier(Decoded& d, const Form& form, const ptx::Instruction& instruction) {
  std::size_t next = 0;
  d.dst = kNowhere;
  if (form.operands[0] != Lane::none) {
    const ptx::Operand& to = operand(instruction, next++);
    if (!is_sink(to)) d.dst = operands_.destination(to, form.operands[0]);
    if (is_sink(to) && form.operands[0] == Lane::predicate) throw Unsupported{"without a predicate to write"};
  }
  d.option = AddressOption{.is_wide = address(d, operand(instruction, next++)),
                           .is_generic = space_of(instruction) != ptx::Space::shared}
                 .packed();
  if (form.operands[1] != Lane::none && next < instruction.operands.size())
    d.b = operands_.source(instruction.operands[next], form.operands[1]);
}

/// cp.async.wait_group n
void Decoder::wait_group(Decoded& d, const ptx::Instruction& instruction) {
  const auto* count =
      instruction.operands.empty() ? nullptr : std::get_if<ptx::Immediate>(&instruction.operands[0].value);
  d.extra = count == nullptr ? 0 : static_cast<std::uint32_t>(count->bits);
}

bool Decoder::is_in_frame(const std::string& symbol, std::uint64_t& offset) const {
  if (!operands_.symbols().frame_moves) return false;
  const auto& local = operands_.symbols().local.offsets;
  const auto found = local.find(symbol);
  if (found == local.end()) return false;
  offset = found->second;
  return true;
}

bool Decoder::address(Decoded& d, const ptx::Operand& operand) {
  const auto* address = std::get_if<ptx::Address>(&operand.value);
  if (address == nullptr) throw Unsupported{"has no address operand"};
  if (address->offset != static_cast<std::int32_t>(address->offset))
    throw Unsupported{"with an offset beyond 32 bits"};
  d.offset = static_cast<std::int32_t>(address->offset);
  if (const auto* reg = std::get_if<ptx::Register>(&address->base)) {
    const bool is_wide = operands_.lane_bytes(*reg) == 8;
    d.a = operands_.register_at(*reg, is_wide ? Lane::b64 : Lane::b32);
    return is_wide;
  }
  const auto* symbol = std::get_if<ptx::Symbol>(&address->base);
  std::uint64_t in_frame = 0;
  if (symbol != nullptr && is_in_frame(symbol->name, in_frame)) {
    const std::int64_t offset = address->offset + static_cast<std::int64_t>(in_frame);
    if (offset != static_cast<std::int32_t>(offset)) throw Unsupported{"with an offset beyond 32 bits"};
    d.offset = static_cast<std::int32_t>(offset);
    d.a = calls_.self->frame_base;
    return true;
  }
  d.a = operands_.constant(symbol == nullptr ? 0 : operands_.address_of(symbol->name), 8);
  return true;
}

bool Decoder::value(Decoded& d, const ptx::Operand& operand, ptx::Type type, bool is_store) {
  const auto place = [&](const ptx::Operand& element, bool& is_wide) {
    if (!is_store && is_sink(element)) return kNowhere;
    if (const auto* reg = std::get_if<ptx::Register>(&element.value)) {
      is_wide = operands_.lane_bytes(*reg) == 8;
      return operands_.register_at(*reg, is_wide ? Lane::b64 : Lane::b32);
    }
    if (!is_store) throw Unsupported{"the destination is not a register"};
    is_wide = size_of(type) == 8;
    return operands_.source(element, lane_of(type));
  };
  bool is_wide = size_of(type) == 8;
  const auto* vector = std::get_if<ptx::Vector>(&operand.value);
  if (vector == nullptr) {
    d.dst = place(operand, is_wide);
    return is_wide;
  }
  std::vector<std::uint32_t> places;
  for (const ptx::Operand& element : vector->elements) {
    bool element_is_wide = size_of(type) == 8;
    places.push_back(place(element, element_is_wide));
    if (element_is_wide != is_wide) throw Unsupported{"with registers of this width"};
  }
  d.extra = add_list(std::move(places));
  return is_wide;
}

}  // namespace vgpu::exec
