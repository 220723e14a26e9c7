// Comparisons of 16-bit floating-point numbers (PTX ISA 9.7.7): set and setp of f16, bf16 and pairs of them.
#include <string>

#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/predicates.hpp"
#include "vgpu/handlers/small_float.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;

/// F compares two doubles.
template <class H, auto F, bool kFlush>
inline bool holds(u32 a, u32 b) {
  const auto value = [](u32 bits) { return H::widen(kFlush ? H::flushed(bits) : bits); };
  return F(value(a), value(b));
}

/// set.lt.f16.f16 results in 1.0 or 0, set.lt.u16.f16 in all ones or 0; for pairs in each half.
template <class H, auto F, bool kFlush>
void add_set(FormTable& t, const std::string& name, const std::string& type) {
  constexpr auto kClass = InstructionClass::predicate;
  constexpr u32 kOne = static_cast<u32>(H::kBias) * H::kSmallestNormal;
  const Form words = lanewise<[](u16 a, u16 b) { return holds<H, F, kFlush>(a, b) ? ~0U : 0U; }>(kClass);
  t[name + ".u32." + type] = t[name + ".s32." + type] = words;
  t[name + ".u16." + type] = t[name + ".s16." + type] =
      lanewise<[](u16 a, u16 b) { return static_cast<u16>(holds<H, F, kFlush>(a, b) ? 0xFFFFU : 0U); }>(
          kClass);
  t[name + "." + type + "." + type] =
      lanewise<[](u16 a, u16 b) { return static_cast<u16>(holds<H, F, kFlush>(a, b) ? kOne : 0U); }>(kClass);
  const auto both = []<u32 kYes>() {
    return lanewise<[](u32 a, u32 b) {
      const u32 low = holds<H, F, kFlush>(a & 0xFFFFU, b & 0xFFFFU) ? kYes : 0;
      const u32 high = holds<H, F, kFlush>(a >> 16U, b >> 16U) ? kYes : 0;
      return low | high << 16U;
    }>(kClass);
  };
  const std::string pair = type + "x2";
  t[name + ".u32." + pair] = t[name + ".s32." + pair] = both.template operator()<0xFFFFU>();
  t[name + "." + pair + "." + pair] = both.template operator()<kOne>();
}

/// setp of one number: p = F, q = not F.
template <class H, auto F, bool kFlush>
u32 compared(Warp& warp, const Decoded& d) {
  const u32* a = vector_at<const u32>(warp, d.a);
  const u32* b = vector_at<const u32>(warp, d.b);
  u32 mask = 0;
  for (int i = 0; i < kWarpLanes; ++i)
    mask |= holds<H, F, kFlush>(a[i] & 0xFFFFU, b[i] & 0xFFFFU) ? kLaneBit[i] : 0;
  return mask;
}

template <class H, auto F, bool kFlush>
const Decoded* compare(Warp& warp, const Decoded& d) {
  const u32 holds = compared<H, F, kFlush>(warp, d);
  write_comparison(warp, d, holds, ~holds);
  return &d + 1;
}

/// setp of pairs: p is the result for the low halves, q for the high halves.
template <class H, auto F, bool kFlush>
const Decoded* compare_pairs(Warp& warp, const Decoded& d) {
  const u32* a = vector_at<const u32>(warp, d.a);
  const u32* b = vector_at<const u32>(warp, d.b);
  u32 low = 0;
  u32 high = 0;
  for (int i = 0; i < kWarpLanes; ++i) {
    low |= holds<H, F, kFlush>(a[i] & 0xFFFFU, b[i] & 0xFFFFU) ? kLaneBit[i] : 0;
    high |= holds<H, F, kFlush>(a[i] >> 16U, b[i] >> 16U) ? kLaneBit[i] : 0;
  }
  write_comparison(warp, d, low, high);
  return &d + 1;
}

template <class H, auto F, bool kFlush>
void add_comparison(FormTable& t, const std::string& comparison, const std::string& type) {
  const std::string flush = kFlush ? ".ftz" : "";
  add_set<H, F, kFlush>(t, "set." + comparison + flush, type);
  add_setp_forms(t, "setp." + comparison, flush + "." + type, Lane::b32, compare<H, F, kFlush>);
  add_setp_forms(t, "setp." + comparison, flush + "." + type + "x2", Lane::b32, compare_pairs<H, F, kFlush>);
}

template <class H, bool kFlush>
void add_comparisons(FormTable& t, const std::string& type) {
  const auto add = [&]<auto F>(const char* name) { add_comparison<H, F, kFlush>(t, name, type); };
  for_each_float_comparison<double>(add);
}

}  // namespace

void add_half_comparison_forms(FormTable& t) {
  add_comparisons<Half, false>(t, "f16");
  add_comparisons<Half, true>(t, "f16");
  add_comparisons<Bfloat, false>(t, "bf16");
}

}  // namespace vgpu::exec::VGPU_ISA
