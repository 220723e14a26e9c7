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
    // 1.0 has the bias in its exponent field and no fraction.
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
template <auto F>
void add_bitwise(FormTable& t, std::string_view name) {
  t[name] = lanewise<[](u16 a) { return static_cast<u16>(F(u32{a})); }>(kClass);
  t[{name, "x2"}] = lanewise<[](u32 a) { return F(a & 0xFFFFU) | F(a >> 16U) << 16U; }>(kClass);
}

// Functions that take longer run over all 32 lanes in one loop, for low and high halves alike.

/// The halves at bit `shift` of the kArity inputs of an instruction.
template <int kArity>
[[gnu::noinline]] void read_halves(Warp& warp, const Decoded& d, unsigned shift,
                                   std::array<Bits, kArity>& halves) {
  const std::array<u32, 3> offsets{d.a, d.b, d.c};
  for (int k = 0; k < kArity; ++k) {
    const u32* words = vector_at<const u32>(warp, offsets[k]);
    for (int i = 0; i < kWarpLanes; ++i) halves[k][i] = words[i] >> shift & 0xFFFFU;
  }
}

template <auto F, int kArity>
[[gnu::noinline]] void apply(const std::array<Bits, kArity>& in, Bits& results) {
  for (int i = 0; i < kWarpLanes; ++i) {
    if constexpr (kArity == 1) results[i] = F(in[0][i]);
    if constexpr (kArity == 2) results[i] = F(in[0][i], in[1][i]);
    if constexpr (kArity == 3) results[i] = F(in[0][i], in[1][i], in[2][i]);
  }
}

template <auto F, int kArity>
const Decoded* on_number(Warp& warp, const Decoded& d) {
  std::array<Bits, kArity> in;
  Bits results;
  read_halves<kArity>(warp, d, 0, in);
  apply<F, kArity>(in, results);
  write_bits(warp, d.dst, results);
  return &d + 1;
}

template <auto F, int kArity>
const Decoded* on_pair(Warp& warp, const Decoded& d) {
  std::array<Bits, kArity> in;
  Bits low, high;
  read_halves<kArity>(warp, d, 0, in);
  apply<F, kArity>(in, low);
  read_halves<kArity>(warp, d, 16, in);
  apply<F, kArity>(in, high);
  for (int i = 0; i < kWarpLanes; ++i) low[i] |= high[i] << 16U;
  write_bits(warp, d.dst, low);
  return &d + 1;
}

template <auto F, int kArity>
void add_staged(FormTable& t, std::string_view name, InstructionClass counted_as = kClass) {
  Form form{.handler = on_number<F, kArity>,
            .counted_as = counted_as,
            .operands = {Lane::b32, Lane::b32, kArity > 1 ? Lane::b32 : Lane::none,
                         kArity > 2 ? Lane::b32 : Lane::none}};
  t[name] = form;
  form.handler = on_pair<F, kArity>;
  t[{name, "x2"}] = form;
}

template <class H, auto F, int kArity>
void add_operation(FormTable& t, std::string_view opcode, std::string_view type) {
  add_staged<rounded<H, F, After::nothing, false>, kArity>(t, joined({opcode, type}));
  add_staged<rounded<H, F, After::nothing, true>, kArity>(t, joined({opcode, ".ftz", type}));
  add_staged<rounded<H, F, After::saturate, false>, kArity>(t, joined({opcode, ".sat", type}));
  add_staged<rounded<H, F, After::saturate, true>, kArity>(t, joined({opcode, ".ftz.sat", type}));
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
void add_selection(FormTable& t, std::string_view type) {
  const std::string_view opcode = kIsMax ? "max" : "min";
  const auto add = [&]<bool kFlush>(std::string_view flush) {
    add_staged<selected<H, kIsMax, false, false, kFlush>, 2>(t, joined({opcode, flush, type}));
    add_staged<selected<H, kIsMax, true, false, kFlush>, 2>(t, joined({opcode, flush, ".NaN", type}));
    add_staged<selected<H, kIsMax, false, true, kFlush>, 2>(t, joined({opcode, flush, ".xorsign.abs", type}));
    add_staged<selected<H, kIsMax, true, true, kFlush>, 2>(t,
                                                           joined({opcode, flush, ".NaN.xorsign.abs", type}));
  };
  add.template operator()<false>("");
  add.template operator()<true>(".ftz");
}

template <class H>
void add_type(FormTable& t, std::string_view type) {
  constexpr auto kFma = [](double a, double b, double c) { return odd_sum(a * b, c); };  // a * b is exact
  // A double has at least 2p + 2 bits for p = 11 (f16) and p = 8 (bf16), so that rounding to double first
  // does not change a sum or product (Figueroa, "When is double rounding innocuous?", SIGNUM 1995).
  const auto add_rounding = [&](std::string_view rounding) {
    add_operation<H, [](double a, double b) { return a + b; }, 2>(t, joined({"add", rounding}), type);
    add_operation<H, [](double a, double b) { return a - b; }, 2>(t, joined({"sub", rounding}), type);
    add_operation<H, [](double a, double b) { return a * b; }, 2>(t, joined({"mul", rounding}), type);
  };
  add_rounding("");
  add_rounding(".rn");
  add_operation<H, kFma, 3>(t, "fma.rn", type);
  add_staged<rounded<H, kFma, After::relu, false>, 3>(t, joined({"fma.rn.relu", type}));
  add_staged<rounded<H, kFma, After::relu, true>, 3>(t, joined({"fma.rn.ftz.relu", type}));
  add_bitwise<[](u32 a) { return a ^ H::kSign; }>(t, joined({"neg", type}));
  add_bitwise<[](u32 a) { return H::flushed(a) ^ H::kSign; }>(t, joined({"neg.ftz", type}));
  add_bitwise<[](u32 a) { return a & H::kMagnitude; }>(t, joined({"abs", type}));
  add_bitwise<[](u32 a) { return H::flushed(a) & H::kMagnitude; }>(t, joined({"abs.ftz", type}));
  add_selection<H, false>(t, type);
  add_selection<H, true>(t, type);
  constexpr auto kSpecial = InstructionClass::special;
  add_staged<rounded<H, [](double a) { return tanh_of(a); }, After::nothing, false>, 1>(
      t, joined({"tanh.approx", type}), kSpecial);
  add_staged<rounded<H, [](double a) { return exp2_of(a); }, After::nothing, false>, 1>(
      t, joined({"ex2.approx", type}), kSpecial);
  add_staged<rounded<H, [](double a) { return exp2_of(a); }, After::nothing, true>, 1>(
      t, joined({"ex2.approx.ftz", type}), kSpecial);
}

}  // namespace

void add_half_forms(FormTable& t) {
  add_type<Half>(t, ".f16");
  add_type<Bfloat>(t, ".bf16");
}

}  // namespace vgpu::exec::VGPU_ISA
