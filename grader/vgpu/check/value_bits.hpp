// How undefined bits of operands become undefined bits of results, as in valgrind (Seward and Nethercote,
// "Using Valgrind to detect undefined value errors with bit-precision", 2005). A bit that is not marked is
// the same whatever the undefined bits are. Covered by tests/vgpu/value_bits_test.cpp.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// An operand: its value, and its undefined bits.
struct PartlyDefined {
  std::uint64_t value = 0, undefined = 0;
};

/// All bits of a value of `bytes` bytes.
constexpr std::uint64_t all_bits(std::uint32_t bytes) {
  return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
}

using StepOperands = std::array<PartlyDefined, 4>;

/// The undefined bits of the result of a step. Not for Bits::pack and unpack.
std::uint64_t undefined_bits(const FlowStep& step, const StepOperands& operands);

/// Whether the step only moves bits: an undefined bit of the result is one of an operand.
constexpr bool moves_bits(FlowStep::Bits bits) {
  using Bits = FlowStep::Bits;
  return bits != Bits::any && bits != Bits::bit_by_bit && bits != Bits::upwards;
}

/// Whether bits change their place in a byte, as in arithmetic, and not in a copy.
bool moves_within_bytes(const FlowStep& step, const StepOperands& operands);

/// Whether the step sets the bits next to those that it moves: the result is wider than what memory held.
constexpr bool fills(const FlowStep& step) {
  using Bits = FlowStep::Bits;
  if (step.bits == Bits::convert) return step.bytes > step.from_bytes;
  return step.bits == Bits::conjunction || step.bits == Bits::left || step.bits == Bits::right ||
         step.bits == Bits::extract;
}

/// Whether the step puts bits of several operands next to each other.
constexpr bool joins(FlowStep::Bits bits) {
  using Bits = FlowStep::Bits;
  return bits == Bits::disjunction || bits == Bits::permute || bits == Bits::insert || bits == Bits::pack;
}

}  // namespace vgpu::exec
