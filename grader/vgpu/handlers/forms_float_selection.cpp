// Minimum and maximum of floating-point numbers (PTX ISA 9.7.3, min and max), of two or three inputs, and
// arithmetic on two packed f32 (f32x2).
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/lanes.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <class T>
constexpr Bits<T> kSignBit = Bits<T>{1} << (sizeof(T) * 8 - 1);

inline float flushed(float x) { return std::fabs(x) < FLT_MIN ? std::copysign(0.0F, x) : x; }

template <class T>
inline T canonical_nan() {
  // 0x7FFFFFFF and its counterpart in double (PTX ISA, "min").
  return std::bit_cast<T>(~kSignBit<T>);
}
template <class T>
inline T with_sign(T magnitude, T a, T b) {
  const auto sign = (std::bit_cast<Bits<T>>(a) ^ std::bit_cast<Bits<T>>(b)) & kSignBit<T>;
  return std::bit_cast<T>((std::bit_cast<Bits<T>>(magnitude) & ~kSignBit<T>) | sign);
}

/// -0 is less than +0. If one operand is NaN, the result is the other one, or NaN with kNan.
template <bool kIsMax, bool kNan, class T>
inline T selected(T a, T b) {
  const auto x = std::bit_cast<Bits<T>>(a);
  const auto y = std::bit_cast<Bits<T>>(b);
  // Equal numbers differ in their bits only as zeros of both signs: `and` results in +0, `or` in -0.
  const T equal = std::bit_cast<T>(kIsMax ? x & y : x | y);
  const T ordered = a < b ? (kIsMax ? b : a) : (b < a ? (kIsMax ? a : b) : equal);
  const T number = a == a ? a : (b == b ? b : canonical_nan<T>());
  return a == a && b == b ? ordered : (kNan ? canonical_nan<T>() : number);
}
template <bool kIsMax, bool kNan>
inline float selected_of_three(float a, float b, float c) {
  return selected<kIsMax, kNan>(selected<kIsMax, kNan>(a, b), c);
}
/// .xorsign.abs: compares the magnitudes; the result has the sign of the product.
template <bool kIsMax, bool kNan>
inline float selected_magnitude(float a, float b) {
  return with_sign(selected<kIsMax, kNan>(std::fabs(a), std::fabs(b)), a, b);
}

template <bool kIsMax, bool kNan>
void add_float(FormTable& t, std::string_view opcode, std::string_view suffix) {
  constexpr auto kClass = InstructionClass::float32;
  t[{opcode, suffix, ".f32"}] =
      lanewise<[](float a, float b) { return selected<kIsMax, kNan>(a, b); }>(kClass);
  t[{opcode, ".ftz", suffix, ".f32"}] =
      lanewise<[](float a, float b) { return selected<kIsMax, kNan>(flushed(a), flushed(b)); }>(kClass);
  t[{opcode, suffix, ".xorsign.abs.f32"}] =
      lanewise<[](float a, float b) { return selected_magnitude<kIsMax, kNan>(a, b); }>(kClass);
  t[{opcode, ".ftz", suffix, ".xorsign.abs.f32"}] =
      lanewise<[](float a, float b) { return selected_magnitude<kIsMax, kNan>(flushed(a), flushed(b)); }>(
          kClass);
  // Three inputs: spelling.hpp distinguishes them from two.
  t[{opcode, suffix, ".f32.3"}] =
      lanewise<[](float a, float b, float c) { return selected_of_three<kIsMax, kNan>(a, b, c); }>(kClass);
  t[{opcode, ".ftz", suffix, ".f32.3"}] = lanewise<[](float a, float b, float c) {
    return selected_of_three<kIsMax, kNan>(flushed(a), flushed(b), flushed(c));
  }>(kClass);
}

/// Applies F to both halves of 64 bits.
template <auto F, class... A>
constexpr auto on_pairs = [](A... operands) {
  const auto half = [](std::uint64_t x, unsigned shift) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(x >> shift));
  };
  const auto bits = [](float x) { return std::uint64_t{std::bit_cast<std::uint32_t>(x)}; };
  return bits(F(half(operands, 0)...)) | bits(F(half(operands, 32)...)) << 32U;
};

template <auto F>
constexpr auto kFlushed = [](auto... x) { return flushed(F(flushed(x)...)); };

template <auto F, class... A>
void add_pairs(FormTable& t, std::string_view opcode) {
  constexpr auto kClass = InstructionClass::float32;
  constexpr auto kPlainPair = [](A... x) { return on_pairs<F, A...>(x...); };
  constexpr auto kFlushPair = [](A... x) { return on_pairs<kFlushed<F>, A...>(x...); };
  t[{opcode, ".rn.f32x2"}] = lanewise<kPlainPair>(kClass);
  t[{opcode, ".rn.ftz.f32x2"}] = lanewise<kFlushPair>(kClass);
  // fma has no default rounding: the manual requires .rn.
  if (opcode == "fma") return;
  t[{opcode, ".f32x2"}] = t[{opcode, ".rn.f32x2"}];
  t[{opcode, ".ftz.f32x2"}] = t[{opcode, ".rn.ftz.f32x2"}];
}

}  // namespace

void add_float_selection_forms(FormTable& t) {
  add_float<false, false>(t, "min", "");
  add_float<false, true>(t, "min", ".NaN");
  add_float<true, false>(t, "max", "");
  add_float<true, true>(t, "max", ".NaN");
  constexpr auto kDouble = InstructionClass::float64;
  t["min.f64"] = lanewise<[](double a, double b) { return selected<false, false>(a, b); }>(kDouble);
  t["max.f64"] = lanewise<[](double a, double b) { return selected<true, false>(a, b); }>(kDouble);
  using Pair = std::uint64_t;
  add_pairs<[](float a, float b) { return a + b; }, Pair, Pair>(t, "add");
  add_pairs<[](float a, float b) { return a - b; }, Pair, Pair>(t, "sub");
  add_pairs<[](float a, float b) { return a * b; }, Pair, Pair>(t, "mul");
  add_pairs<[](float a, float b, float c) { return std::fma(a, b, c); }, Pair, Pair, Pair>(t, "fma");
}

}  // namespace vgpu::exec::VGPU_ISA
