#include "vgpu/check/value_bits.hpp"

namespace vgpu::exec {
namespace {

using Bits = FlowStep::Bits;

/// The undefined bits after a shift; the amount is defined.
std::uint64_t shifted(const FlowStep& step, std::uint64_t undefined, std::uint64_t amount) {
  const std::uint64_t bits = 8 * std::uint64_t{step.bytes};
  const std::uint64_t all = all_bits(step.bytes);
  const bool extends_sign = step.is_signed && (undefined >> (bits - 1) & 1U) != 0;
  if (amount >= bits) return extends_sign ? all : 0;
  if (step.bits == Bits::left) return undefined << amount & all;
  const std::uint64_t upper = extends_sign ? all & ~(all >> amount) : 0;
  return (undefined & all) >> amount | upper;
}

std::uint64_t converted(const FlowStep& step, std::uint64_t undefined) {
  const std::uint64_t from = all_bits(step.from_bytes);
  const bool extends_sign = step.is_signed && (undefined & (from ^ from >> 1U)) != 0;
  return ((undefined & from) | (extends_sign ? ~from : 0)) & all_bits(step.bytes);
}

/// prmt: each four bits of the selector choose a byte of b:a, or (bit 3) its sign.
std::uint64_t permuted(std::uint64_t a, std::uint64_t b, std::uint64_t selector) {
  const std::uint64_t from = (a & 0xFFFFFFFFU) | b << 32U;
  std::uint64_t to = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint64_t choice = selector >> 4 * i & 0xFU;
    const std::uint64_t byte = from >> 8 * (choice & 7U) & 0xFFU;
    const std::uint64_t sign = (byte & 0x80U) != 0 ? 0xFFU : 0;
    to |= ((choice & 8U) != 0 ? sign : byte) << 8 * i;
  }
  return to;
}

/// The bits of a field of `length` bits at `start`.
std::uint64_t field(std::uint64_t start, std::uint64_t length) {
  if (start >= 64) return 0;
  return (length >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1) << start;
}

/// bfe; start and length are defined.
std::uint64_t extracted(const FlowStep& step, std::uint64_t undefined, std::uint64_t start,
                        std::uint64_t length) {
  const std::uint64_t part = undefined & field(start & 0xFFU, length & 0xFFU);
  if (step.is_signed && part != 0) return all_bits(step.bytes);  // the sign can be one of these bits
  return part == 0 ? 0 : part >> (start & 0xFFU);
}

/// bfi: `length` bits of a replace those of b from `start` on; start and length are defined.
std::uint64_t inserted(std::uint64_t a, std::uint64_t b, std::uint64_t start, std::uint64_t length) {
  const std::uint64_t replaced = field(start & 0xFFU, length & 0xFFU);
  return replaced == 0 ? b : (b & ~replaced) | (a << (start & 0xFFU) & replaced);
}

}  // namespace

std::uint64_t undefined_bits(const FlowStep& step, const StepOperands& operands) {
  const auto& [a, b, c, d] = operands;
  const std::uint64_t all = all_bits(step.bytes);
  const std::uint64_t any = a.undefined | b.undefined | c.undefined | d.undefined;
  /// For operands that choose bits: if they are undefined, so is the result.
  const auto chosen_by = [&](std::uint64_t undefined, std::uint64_t result) {
    return undefined != 0 ? all : result;
  };
  switch (step.bits) {
    case Bits::move:
      return a.undefined;
    case Bits::convert:
      return converted(step, a.undefined);
    case Bits::conjunction:
      return (a.undefined & (b.value | b.undefined)) | (b.undefined & a.value);
    case Bits::disjunction:
      return (a.undefined & (~b.value | b.undefined)) | (b.undefined & ~a.value);
    case Bits::bit_by_bit:
      return any;
    case Bits::upwards:
      return any == 0 ? 0 : all & ~((any & (~any + 1)) - 1);
    case Bits::left:
    case Bits::right:
      return chosen_by(b.undefined, shifted(step, a.undefined, b.value));
    case Bits::permute:
      return chosen_by(c.undefined, permuted(a.undefined, b.undefined, c.value));
    case Bits::extract:
      return chosen_by(b.undefined | c.undefined, extracted(step, a.undefined, b.value, c.value));
    case Bits::insert:
      return chosen_by(c.undefined | d.undefined, inserted(a.undefined, b.undefined, c.value, d.value));
    default:
      return any == 0 ? 0 : ~std::uint64_t{0};
  }
}

bool moves_within_bytes(const FlowStep& step, const StepOperands& operands) {
  constexpr std::uint64_t kByteBits = 8;
  switch (step.bits) {
    case Bits::left:
    case Bits::right:
    case Bits::extract:
      return operands[1].value % kByteBits != 0;
    case Bits::insert:
      return operands[0].undefined != 0 && operands[2].value % kByteBits != 0;
    default:
      return false;
  }
}

}  // namespace vgpu::exec
