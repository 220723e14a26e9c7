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

}  // namespace vgpu::exec
