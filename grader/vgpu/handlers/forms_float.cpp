// Floating-point arithmetic (PTX ISA 9.7.3). Round to nearest uses the host's own arithmetic; directed
// rounding changes the rounding mode once per warp instruction. A NaN result can have another payload than on
// NVIDIA hardware, where it is always 0x7FFFFFFF.
#include <bit>
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
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
template <class T>
constexpr InstructionClass kClassOf = sizeof(T) == 8 ? InstructionClass::float64 : InstructionClass::float32;

/// .ftz: subnormal numbers become zeros of the same sign.
inline float flushed(float x) {
  return std::fabs(x) < FLT_MIN ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & kSignBit<float>) : x;
}
/// .sat: clamped to [0, 1]; NaN becomes 0.
template <class T>
inline T saturated(T x) {
  return x > 0 ? (x < 1 ? x : T{1}) : T{0};
}
template <class T>
inline T copy_sign(T sign, T magnitude) {
  return std::bit_cast<T>((std::bit_cast<Bits<T>>(sign) & kSignBit<T>) |
                          (std::bit_cast<Bits<T>>(magnitude) & ~kSignBit<T>));
}

/// Runs a handler with another rounding mode. The calls are opaque to the compiler, so no arithmetic moves
/// across the changes of the mode.
template <Handler H, int kMode>
const Decoded* directed(Warp& warp, const Decoded& d) {
  std::fesetround(kMode);
  const Decoded* next = H(warp, d);
  std::fesetround(FE_TONEAREST);
  return next;
}

template <auto F, auto G, class T, class... A>
constexpr auto after(T (*)(A...)) {
  return [](A... a) { return G(F(a...)); };
}
template <auto F, class T, class... A>
constexpr auto with_flush(T (*)(A...)) {
  return [](A... a) { return flushed(F(flushed(a)...)); };
}

/// Adds "head.f32", "head.ftz.f32", "head.sat.f32" and "head.ftz.sat.f32", or "head.f64".
template <class T, auto F>
void add_plain(FormTable& t, std::string_view head) {
  if constexpr (std::is_same_v<T, float>) {
    constexpr auto kFlush = with_flush<F>(+F);
    constexpr auto kSaturate = after<F, saturated<float>>(+F);
    constexpr auto kFlushSaturate = after<kFlush, saturated<float>>(+kFlush);
    t[{head, ".f32"}] = lanewise<F>(kClassOf<T>);
    t[{head, ".ftz.f32"}] = lanewise<kFlush>(kClassOf<T>);
    t[{head, ".sat.f32"}] = lanewise<kSaturate>(kClassOf<T>);
    t[{head, ".ftz.sat.f32"}] = lanewise<kFlushSaturate>(kClassOf<T>);
  } else {
    t[{head, ".f64"}] = lanewise<F>(kClassOf<T>);
  }
}

template <class T, auto F, int kMode>
void add_directed(FormTable& t, std::string_view head) {
  using Pointer = decltype(+F);
  Form form = lanewise<F>(kClassOf<T>);
  form.handler = []<class R, class... A>(R (*)(A...)) -> Handler {
    if constexpr (sizeof...(A) == 1) return directed<unary<F, R, A...>, kMode>;
    if constexpr (sizeof...(A) == 2) return directed<binary<F, R, A...>, kMode>;
    if constexpr (sizeof...(A) == 3) return directed<ternary<F, R, A...>, kMode>;
  }(Pointer{});
  t[{head, (sizeof(T) == 8 ? ".f64" : ".f32")}] = form;
}

/// All rounding modes of an operation that rounds once.
template <class T, auto F>
void add_rounded(FormTable& t, std::string_view opcode) {
  add_plain<T, F>(t, joined({opcode, ".rn"}));
  add_directed<T, F, FE_TOWARDZERO>(t, joined({opcode, ".rz"}));
  add_directed<T, F, FE_DOWNWARD>(t, joined({opcode, ".rm"}));
  add_directed<T, F, FE_UPWARD>(t, joined({opcode, ".rp"}));
  if constexpr (std::is_same_v<T, float>) {
    constexpr auto kFlush = with_flush<F>(+F);
    add_directed<T, kFlush, FE_TOWARDZERO>(t, joined({opcode, ".rz.ftz"}));
    add_directed<T, kFlush, FE_DOWNWARD>(t, joined({opcode, ".rm.ftz"}));
    add_directed<T, kFlush, FE_UPWARD>(t, joined({opcode, ".rp.ftz"}));
    constexpr auto kSaturate = after<F, saturated<float>>(+F);
    add_directed<T, kSaturate, FE_TOWARDZERO>(t, joined({opcode, ".rz.sat"}));
    add_directed<T, kSaturate, FE_DOWNWARD>(t, joined({opcode, ".rm.sat"}));
    add_directed<T, kSaturate, FE_UPWARD>(t, joined({opcode, ".rp.sat"}));
  }
}

template <class T>
void add_arithmetic(FormTable& t, std::string_view type) {
  constexpr auto kClass = kClassOf<T>;
  constexpr auto kAdd = [](T a, T b) { return a + b; };
  constexpr auto kSubtract = [](T a, T b) { return a - b; };
  constexpr auto kMultiply = [](T a, T b) { return a * b; };
  constexpr auto kFma = [](T a, T b, T c) { return std::fma(a, b, c); };
  // Without a rounding modifier, the mode is .rn (PTX ISA, "add").
  add_plain<T, kAdd>(t, "add");
  add_plain<T, kSubtract>(t, "sub");
  add_plain<T, kMultiply>(t, "mul");
  add_plain<T, kFma>(t, "fma");
  add_rounded<T, kAdd>(t, "add");
  add_rounded<T, kSubtract>(t, "sub");
  add_rounded<T, kMultiply>(t, "mul");
  add_rounded<T, kFma>(t, "fma");
  // Since sm_20, mad is the same as fma (PTX ISA, "mad", floating point).
  add_rounded<T, kFma>(t, "mad");
  add_rounded<T, [](T a, T b) { return a / b; }>(t, "div");
  add_rounded<T, [](T a) { return T{1} / a; }>(t, "rcp");
  add_rounded<T, [](T a) { return std::sqrt(a); }>(t, "sqrt");
  add_plain<T, [](T a) { return -a; }>(t, "neg");
  add_plain<T, [](T a) { return std::fabs(a); }>(t, "abs");
  t[{"copysign.", type}] = lanewise<[](T a, T b) { return copy_sign(a, b); }>(kClass);
}

}  // namespace

void add_float_forms(FormTable& t) {
  add_arithmetic<float>(t, "f32");
  add_arithmetic<double>(t, "f64");
}

}  // namespace vgpu::exec::VGPU_ISA
