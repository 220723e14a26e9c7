#include "vgpu/decode/operands.hpp"

#include <array>
#include <bit>

#include <fmt/format.h>

#include "vgpu/decode/registers.hpp"
#include "vgpu/flow/special_registers.hpp"

namespace vgpu::exec {
namespace {

/// The offset from the start of the reserved shared memory. Each half has its own offset; cooperative groups
/// use the second half, and expect 288 bytes.
std::optional<std::uint64_t> reserved_offset(std::string_view name) {
  if (name == "reserved_smem_offset_begin" || name == "reserved_smem_offset_0") return 0;
  if (name == "reserved_smem_offset_1") return kReservedBytes / 2;
  if (name == "reserved_smem_offset_end") return kReservedBytes;
  return std::nullopt;
}

}  // namespace

std::uint8_t bytes_of(Lane lane) {
  switch (lane) {
    case Lane::b64:
    case Lane::f64:
      return 8;
    case Lane::b32:
    case Lane::f32:
      return 4;
    default:
      return 0;
  }
}

std::uint64_t immediate_bits(const ptx::Immediate& immediate, Lane lane) {
  const bool is_f64 = immediate.type == ptx::Type::f64;
  const bool is_f32 = immediate.type == ptx::Type::f32;
  const bool is_float = is_f64 || is_f32;
  const auto as_double = [&] {
    if (is_f64) return std::bit_cast<double>(immediate.bits);
    if (is_f32) return double{std::bit_cast<float>(static_cast<std::uint32_t>(immediate.bits))};
    return static_cast<double>(static_cast<std::int64_t>(immediate.bits));
  };
  if (lane == Lane::f32 && !is_f32) return std::bit_cast<std::uint32_t>(static_cast<float>(as_double()));
  if (lane == Lane::f64 && !is_f64) return std::bit_cast<std::uint64_t>(as_double());
  if (is_float) return immediate.bits;
  return bytes_of(lane) == 8 ? immediate.bits : immediate.bits & 0xFFFFFFFFU;
}

Operands::Operands(const ptx::Function& function, const Symbols& symbols, const RegisterPlaces& places)
    : function_(function), symbols_(symbols), places_(places.offsets), bytes_(places.bytes) {}

std::uint8_t Operands::lane_bytes(const ptx::Register& reg) const {
  if (reg.index >= function_.registers.size()) throw Unsupported{"names a register that is not declared"};
  const ptx::Type type = function_.registers[reg.index].type;
  if (type == ptx::Type::pred) return 0;
  return size_of(type) == 8 ? 8 : 4;
}

std::uint32_t Operands::register_at(const ptx::Register& reg, Lane lane) const {
  if (lane_bytes(reg) != bytes_of(lane)) {
    throw Unsupported{fmt::format("register {} is {} bits wide, but {} bits are needed",
                                  function_.registers[reg.index].name, lane_bytes(reg) * 8,
                                  bytes_of(lane) * 8)};
  }
  return places_[reg.index];
}

std::uint32_t Operands::source(const ptx::Operand& operand, Lane lane) {
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) return register_at(*reg, lane);
  if (lane == Lane::predicate) {
    const auto* immediate = std::get_if<ptx::Immediate>(&operand.value);
    if (immediate == nullptr) throw Unsupported{"an operand should be a predicate register"};
    return constant(immediate->bits != 0 ? kFullMask : 0, sizeof kFullMask);  // one mask for all lanes
  }
  if (const auto* immediate = std::get_if<ptx::Immediate>(&operand.value)) {
    return constant(immediate_bits(*immediate, lane), bytes_of(lane));
  }
  if (const auto* reg = std::get_if<ptx::SpecialRegister>(&operand.value))
    return special(*reg, bytes_of(lane));
  if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) {
    return constant(address_of(symbol->name), bytes_of(lane));
  }
  throw Unsupported{"an operand is neither a register, a number nor a symbol"};
}

std::uint32_t Operands::destination(const ptx::Operand& operand, Lane lane) const {
  const auto* reg = std::get_if<ptx::Register>(&operand.value);
  if (reg == nullptr) throw Unsupported{"the destination is not a register"};
  return register_at(*reg, lane);
}

std::uint32_t Operands::constant(std::uint64_t value, std::uint8_t lane_bytes) {
  return add({.lane_bytes = lane_bytes, .value = value});
}

std::uint32_t Operands::parameter(std::uint64_t offset, std::uint8_t bytes, bool is_signed,
                                  std::uint8_t lane_bytes) {
  return add({.kind = Constant::Kind::parameter,
              .lane_bytes = lane_bytes,
              .bytes = bytes,
              .is_signed = is_signed,
              .value = offset});
}

std::uint32_t Operands::scratch(std::size_t number) {
  while (scratch_.size() <= number) {
    scratch_.push_back(bytes_);
    bytes_ += sizeof(std::uint64_t) * kWarpLanes;
  }
  return scratch_[number];
}

std::uint32_t Operands::special(const ptx::SpecialRegister& reg, std::uint8_t lane_bytes) {
  if (const auto offset = reserved_offset(reg.name))
    return constant(symbols_.shared.offsets.at(std::string(kReservedMemory)) + *offset, lane_bytes);
  const std::string name = reg.component == 0 ? reg.name : reg.name + '.' + reg.component;
  const SpecialRegister* known = special_register(name);
  if (known == nullptr) throw Unsupported{fmt::format("special register %{} is not supported", name)};
  return add({.kind = Constant::Kind::special, .lane_bytes = lane_bytes, .special = known});
}

std::uint64_t Operands::address_of(const std::string& symbol) const {
  if (symbols_.frame_moves && symbols_.local.offsets.contains(symbol)) {
    throw Unsupported{fmt::format("takes the address of {} as an operand, which only mov supports", symbol)};
  }
  for (const Layout* layout : {&symbols_.shared, &symbols_.local, &symbols_.parameters}) {
    if (const auto found = layout->offsets.find(symbol); found != layout->offsets.end()) return found->second;
  }
  for (const auto* known : {&symbols_.module->variables, &symbols_.module->functions}) {
    if (const auto found = known->find(symbol); found != known->end()) return found->second;
  }
  throw Unsupported{
      fmt::format("takes the address of {}, which is neither a variable nor a function", symbol)};
}

std::uint32_t Operands::add(Constant constant) {
  // Equal constants share one vector.
  const auto key = std::make_tuple(constant.kind, constant.lane_bytes, constant.bytes, constant.is_signed,
                                   constant.value, constant.special);
  const auto [at, inserted] = known_.try_emplace(key, bytes_);
  if (inserted) {
    constant.offset = bytes_;
    bytes_ += constant.lane_bytes * kWarpLanes;
    static_assert(4 * kWarpLanes % kVectorAlignment == 0);
    constants_.push_back(constant);
  }
  return at->second;
}

}  // namespace vgpu::exec
