// Comparisons of 16-bit floating-point numbers (PTX ISA 9.7.7): set and setp of f16, bf16 and pairs of them.
#include <string>

#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/predicates.hpp"
#include "vgpu/handlers/small_float.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;

/// The mask of the lanes for which F, which compares two doubles, is true for the halves of a and b at bit
/// kShift.
template <class H, auto F, bool kFlush, unsigned kShift>
[[gnu::noinline]] u32 compared(Warp& warp, const Decoded& d) {
  const auto value = [](u32 word) {
    const u32 bits = word >> kShift & 0xFFFFU;
    return H::widen(kFlush ? H::flushed(bits) : bits);
  };
  const u32* a = vector_at<const u32>(warp, d.a);
  const u32* b = vector_at<const u32>(warp, d.b);
  u32 mask = 0;
  for (int i = 0; i < kWarpLanes; ++i) mask |= F(value(a[i]), value(b[i])) ? kLaneBit[i] : 0;
  return mask;
}

using Compared = u32 (*)(Warp&, const Decoded&);

/// `yes` in the low halves of the lanes in `low` and in the high halves of those in `high`.
[[gnu::noinline]] void write_set(Warp& warp, const Decoded& d, u32 low, u32 high, u32 yes) {
  write_lanes<u32>(warp, d.dst, [=](int lane) {
    return ((low & kLaneBit[lane]) != 0 ? yes : 0) | ((high & kLaneBit[lane]) != 0 ? yes << 16U : 0);
  });
}

/// set of one number: `kYes` where F is true.
template <Compared kHolds, u32 kYes>
const Decoded* set(Warp& warp, const Decoded& d) {
  write_set(warp, d, kHolds(warp, d), 0, kYes);
  return &d + 1;
}

/// set of pairs: `kYes` in each half for which F is true.
template <Compared kLowHolds, Compared kHighHolds, u32 kYes>
const Decoded* set_pairs(Warp& warp, const Decoded& d) {
  write_set(warp, d, kLowHolds(warp, d), kHighHolds(warp, d), kYes);
  return &d + 1;
}

/// setp of one number: p = F, q = not F.
template <Compared kHolds>
const Decoded* compare(Warp& warp, const Decoded& d) {
  const u32 holds = kHolds(warp, d);
  write_comparison(warp, d, holds, ~holds);
  return &d + 1;
}

/// setp of pairs: p is the result for the low halves, q for the high halves.
template <Compared kLowHolds, Compared kHighHolds>
const Decoded* compare_pairs(Warp& warp, const Decoded& d) {
  const u32 low = kLowHolds(warp, d);
  const u32 high = kHighHolds(warp, d);
  write_comparison(warp, d, low, high);
  return &d + 1;
}

Form set_form(Handler handler) {
  return {.handler = handler,
          .counted_as = InstructionClass::predicate,
          .operands = {Lane::b32, Lane::b32, Lane::b32}};
}

/// set.lt.f16.f16 results in 1.0 or 0, set.lt.u16.f16 in all ones or 0; for pairs in each half.
template <class H, auto F, bool kFlush>
void add_comparison(FormTable& t, std::string_view comparison, std::string_view type) {
  constexpr Compared kLow = compared<H, F, kFlush, 0>;
  constexpr Compared kHigh = compared<H, F, kFlush, 16>;
  // 1.0: the bias in the exponent field.
  constexpr u32 kOne = static_cast<u32>(H::kBias) * H::kSmallestNormal;
  const std::string_view flush = kFlush ? ".ftz" : "";
  const std::string name = joined({"set.", comparison, flush});
  t[{name, ".u32.", type}] = t[{name, ".s32.", type}] = set_form(set<kLow, ~0U>);
  t[{name, ".u16.", type}] = t[{name, ".s16.", type}] = set_form(set<kLow, 0xFFFFU>);
  t[{name, ".", type, ".", type}] = set_form(set<kLow, kOne>);
  const std::string pair = joined({type, "x2"});
  t[{name, ".u32.", pair}] = t[{name, ".s32.", pair}] = set_form(set_pairs<kLow, kHigh, 0xFFFFU>);
  t[{name, ".", pair, ".", pair}] = set_form(set_pairs<kLow, kHigh, kOne>);
  const std::string with_predicate = joined({"setp.", comparison});
  add_setp_forms(t, with_predicate, joined({flush, ".", type}), Lane::b32, compare<kLow>);
  add_setp_forms(t, with_predicate, joined({flush, ".", pair}), Lane::b32, compare_pairs<kLow, kHigh>);
}

template <class H, bool kFlush>
void add_comparisons(FormTable& t, std::string_view type) {
  const auto add = [&]<auto F>(const char* name) { add_comparison<H, F, kFlush>(t, name, type); };
  for_each_float_comparison<double>(add);
}

}  // namespace

void add_half_comparison_forms(FormTable& t) {
  add_comparisons<Half, false>(t, "f16");
  add_comparisons<Half, true>(t, "f16");
  // The manual defines .ftz for f16 only (PTX ISA, "setp", half precision).
  add_comparisons<Bfloat, false>(t, "bf16");
}

}  // namespace vgpu::exec::VGPU_ISA
