// Arithmetic of 16-bit floating-point numbers, one or two in a register (PTX ISA 9.7.4): f16, f16x2, bf16,
// bf16x2.
#include <string>

#include "vgpu/handlers/approximate_functions.hpp"
#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/small_float.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;

constexpr auto kClass = InstructionClass::float32;

enum class After : std::uint8_t { nothing, saturate, relu };

template <class H, After kAfter>
inline u32 finished(double value) {
  const u32 bits = H::narrow(value);
  if constexpr (kAfter == After::saturate) {
    constexpr u32 kOne = static_cast<u32>(H::kBias) * H::kSmallestNormal;
    if (H::is_nan(bits) || (bits & H::kSign) != 0) return 0;
    return bits < kOne ? bits : kOne;
  }
  if constexpr (kAfter == After::relu) return (bits & H::kSign) != 0 ? 0 : bits;  // NaN results are positive
  return bits;
}

/// F computes in double; its result is rounded once.
template <class H, auto F, After kAfter, bool kFlush>
constexpr auto rounded = [](auto... operands) {
  const auto flushed = [](u32 bits) { return kFlush ? H::flushed(bits) : bits; };
  return flushed(finished<H, kAfter>(F(H::widen(flushed(operands))...)));
};

/// The form of F, which maps bits to bits, for one number and (`x2`) for both halves of a word.
template <auto F, int kArity>
void add_bitwise(FormTable& t, const std::string& name, InstructionClass counted_as = kClass) {
  if constexpr (kArity == 1) {
    t[name] = lanewise<[](u16 a) { return static_cast<u16>(F(u32{a})); }>(counted_as);
    t[name + "x2"] = lanewise<[](u32 a) { return F(a & 0xFFFFU) | F(a >> 16U) << 16U; }>(counted_as);
  } else if constexpr (kArity == 2) {
    t[name] = lanewise<[](u16 a, u16 b) { return static_cast<u16>(F(u32{a}, u32{b})); }>(counted_as);
    t[name + "x2"] =
        lanewise<[](u32 a, u32 b) { return F(a & 0xFFFFU, b & 0xFFFFU) | F(a >> 16U, b >> 16U) << 16U; }>(
            counted_as);
  } else {
    t[name] =
        lanewise<[](u16 a, u16 b, u16 c) { return static_cast<u16>(F(u32{a}, u32{b}, u32{c})); }>(counted_as);
    t[name + "x2"] = lanewise<[](u32 a, u32 b, u32 c) {
      return F(a & 0xFFFFU, b & 0xFFFFU, c & 0xFFFFU) | F(a >> 16U, b >> 16U, c >> 16U) << 16U;
    }>(counted_as);
  }
}

template <class H, auto F, int kArity>
void add_operation(FormTable& t, const std::string& opcode, const std::string& type) {
  add_bitwise<rounded<H, F, After::nothing, false>, kArity>(t, opcode + type);
  add_bitwise<rounded<H, F, After::nothing, true>, kArity>(t, opcode + ".ftz" + type);
  add_bitwise<rounded<H, F, After::saturate, false>, kArity>(t, opcode + ".sat" + type);
  add_bitwise<rounded<H, F, After::saturate, true>, kArity>(t, opcode + ".ftz.sat" + type);
}

/// Maps bits to integers with the order of the numbers, -0 below +0. Not for NaN.
template <class H>
inline std::int32_t order_of(u32 bits) {
  const auto magnitude = static_cast<std::int32_t>(bits & H::kMagnitude);
  return (bits & H::kSign) != 0 ? -1 - magnitude : magnitude;
}

/// kNan (.NaN): the result is NaN if an operand is; otherwise it is the operand that is a number. kXorSign:
/// .xorsign.abs.
template <class H, bool kIsMax, bool kNan, bool kXorSign, bool kFlush>
constexpr auto selected = [](u32 a, u32 b) -> u32 {
  if (kFlush) {
    a = H::flushed(a);
    b = H::flushed(b);
  }
  const u32 sign = kXorSign ? (a ^ b) & H::kSign : 0;
  if (kXorSign) {
    a &= H::kMagnitude;
    b &= H::kMagnitude;
  }
  if (H::is_nan(a) || H::is_nan(b)) {
    if (kNan || (H::is_nan(a) && H::is_nan(b))) return H::kNan;
    return (H::is_nan(a) ? b : a) | sign;
  }
  return ((order_of<H>(a) < order_of<H>(b)) != kIsMax ? a : b) | sign;
};

template <class H, bool kIsMax>
void add_selection(FormTable& t, const std::string& type) {
  const std::string opcode = kIsMax ? "max" : "min";
  const auto add = [&]<bool kFlush>(const std::string& flush) {
    add_bitwise<selected<H, kIsMax, false, false, kFlush>, 2>(t, opcode + flush + type);
    add_bitwise<selected<H, kIsMax, true, false, kFlush>, 2>(t, opcode + flush + ".NaN" + type);
    add_bitwise<selected<H, kIsMax, false, true, kFlush>, 2>(t, opcode + flush + ".xorsign.abs" + type);
    add_bitwise<selected<H, kIsMax, true, true, kFlush>, 2>(t, opcode + flush + ".NaN.xorsign.abs" + type);
  };
  add.template operator()<false>("");
  add.template operator()<true>(".ftz");
}

template <class H>
void add_type(FormTable& t, const std::string& type) {
  constexpr auto kFma = [](double a, double b, double c) { return odd_sum(a * b, c); };  // a * b is exact
  const auto add_rounding = [&](const std::string& rounding) {
    add_operation<H, [](double a, double b) { return a + b; }, 2>(t, "add" + rounding, type);
    add_operation<H, [](double a, double b) { return a - b; }, 2>(t, "sub" + rounding, type);
    add_operation<H, [](double a, double b) { return a * b; }, 2>(t, "mul" + rounding, type);
  };
  add_rounding("");
  add_rounding(".rn");
  add_operation<H, kFma, 3>(t, "fma.rn", type);
  add_bitwise<rounded<H, kFma, After::relu, false>, 3>(t, "fma.rn.relu" + type);
  add_bitwise<rounded<H, kFma, After::relu, true>, 3>(t, "fma.rn.ftz.relu" + type);
  add_bitwise<[](u32 a) { return a ^ H::kSign; }, 1>(t, "neg" + type);
  add_bitwise<[](u32 a) { return H::flushed(a) ^ H::kSign; }, 1>(t, "neg.ftz" + type);
  add_bitwise<[](u32 a) { return a & H::kMagnitude; }, 1>(t, "abs" + type);
  add_bitwise<[](u32 a) { return H::flushed(a) & H::kMagnitude; }, 1>(t, "abs.ftz" + type);
  add_selection<H, false>(t, type);
  add_selection<H, true>(t, type);
  constexpr auto kSpecial = InstructionClass::special;
  add_bitwise<rounded<H, [](double a) { return tanh_of(a); }, After::nothing, false>, 1>(
      t, "tanh.approx" + type, kSpecial);
  add_bitwise<rounded<H, [](double a) { return exp2_of(a); }, After::nothing, false>, 1>(
      t, "ex2.approx" + type, kSpecial);
  add_bitwise<rounded<H, [](double a) { return exp2_of(a); }, After::nothing, true>, 1>(
      t, "ex2.approx.ftz" + type, kSpecial);
}

}  // namespace

void add_half_forms(FormTable& t) {
  add_type<Half>(t, ".f16");
  add_type<Bfloat>(t, ".bf16");
}

}  // namespace vgpu::exec::VGPU_ISA
