// Integers packed in a word: dot products (dp4a, dp2a), two 16-bit lanes (add.s16x2 and the like), the SIMD
// video instructions (vadd4, vabsdiff2, …; PTX ISA 9.7.17), and the rarer bit instructions (fns, bmsk, szext,
// mad24, .relu).
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/lanes.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

using u32 = std::uint32_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

constexpr auto kClass = InstructionClass::integer;

/// Part number `i` of a word, kBits wide, sign-extended if T is signed.
template <class T>
constexpr s32 part(u32 word, unsigned i) {
  return static_cast<T>(word >> (i * sizeof(T) * 8));
}

/// c plus the products of the parts of a with as many bytes of b; wraps around.
template <class A, class B>
constexpr u32 dot(u32 a, u32 b, u32 c, unsigned first_of_b) {
  for (unsigned i = 0; i < 4 / sizeof(A); ++i)
    c += static_cast<u32>(part<A>(a, i)) * static_cast<u32>(part<B>(b, first_of_b + i));
  return c;
}

template <class Byte, class Half, class B>
void add_dot_products(FormTable& t, std::string_view types) {
  t[{"dp4a", types}] = lanewise<[](u32 a, u32 b, u32 c) { return dot<Byte, B>(a, b, c, 0); }>(kClass);
  t[{"dp2a.lo", types}] = lanewise<[](u32 a, u32 b, u32 c) { return dot<Half, B>(a, b, c, 0); }>(kClass);
  // The upper two bytes of b.
  t[{"dp2a.hi", types}] = lanewise<[](u32 a, u32 b, u32 c) { return dot<Half, B>(a, b, c, 2); }>(kClass);
}

/// Applies F to both 16-bit halves.
template <class T, auto F>
constexpr u32 on_halves(u32 a, u32 b) {
  const auto half = [&](unsigned i) { return static_cast<u32>(F(part<T>(a, i), part<T>(b, i))) & 0xFFFFU; };
  return half(0) | half(1) << 16U;
}

template <class T>
void add_half_words(FormTable& t, std::string_view type) {
  t[{"add.", type}] =
      lanewise<[](u32 a, u32 b) { return on_halves<T, [](s32 x, s32 y) { return x + y; }>(a, b); }>(kClass);
  t[{"min.", type}] =
      lanewise<[](u32 a, u32 b) { return on_halves<T, [](s32 x, s32 y) { return std::min(x, y); }>(a, b); }>(
          kClass);
  t[{"max.", type}] =
      lanewise<[](u32 a, u32 b) { return on_halves<T, [](s32 x, s32 y) { return std::max(x, y); }>(a, b); }>(
          kClass);
}

/// .relu: a negative result becomes 0. The manual writes .relu after the type for words and before it
/// elsewhere; compilers use both.
void add_relu_forms(FormTable& t) {
  const Form min32 = lanewise<[](s32 a, s32 b) { return std::max(std::min(a, b), 0); }>(kClass);
  const Form max32 = lanewise<[](s32 a, s32 b) { return std::max(std::max(a, b), 0); }>(kClass);
  const Form min16 = lanewise<[](u32 a, u32 b) {
    return on_halves<std::int16_t, [](s32 x, s32 y) { return std::max(std::min(x, y), 0); }>(a, b);
  }>(kClass);
  const Form max16 = lanewise<[](u32 a, u32 b) {
    return on_halves<std::int16_t, [](s32 x, s32 y) { return std::max(std::max(x, y), 0); }>(a, b);
  }>(kClass);
  t["min.s32.relu"] = t["min.relu.s32"] = min32;
  t["max.s32.relu"] = t["max.relu.s32"] = max32;
  t["min.s16x2.relu"] = t["min.relu.s16x2"] = min16;
  t["max.s16x2.relu"] = t["max.relu.s16x2"] = max16;
}

/// The manual's pseudocode: the n-th set bit from `base` on, upwards or downwards.
constexpr u32 find_nth_set(u32 mask, u32 base, s32 offset) {
  if (base > 31) return ~0U;  // undefined
  if (offset == 0) return (mask >> base & 1U) != 0 ? base : ~0U;
  s64 left = offset > 0 ? s64{offset} : -s64{offset};
  for (s32 at = static_cast<s32>(base); at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
    if ((mask >> static_cast<u32>(at) & 1U) != 0 && --left == 0) return static_cast<u32>(at);
  }
  return ~0U;
}

/// `width` ones from bit `from` on; bits above the top are dropped.
constexpr u32 bit_mask(u32 from, u32 width, bool clamps) {
  if (clamps && from >= 32) return 0;
  const u32 first = from & 31U;
  const u32 count = clamps ? std::min(width, 32U) : width & 31U;
  const u32 ones = count == 32 ? ~0U : (1U << count) - 1;
  return ones << first;
}

/// The lowest `width` bits, sign- or zero-extended.
template <class T>
constexpr T extend(T a, u32 width, bool clamps) {
  if (clamps && width >= 32) return a;
  const u32 bits = width & 31U;
  if (bits == 0) return 0;
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << (32 - bits)) >> (32 - bits));
}

template <class T>
constexpr T low24(T a) {
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << 8U) >> 8);
}

template <class T>
constexpr T low_product24(T a, T b) {
  return static_cast<T>(s64{low24(a)} * low24(b));
}
/// Bits 16 to 47 of the product.
template <class T>
constexpr T high_product24(T a, T b) {
  return static_cast<T>((s64{low24(a)} * low24(b)) >> 16);
}
template <class T>
constexpr T wrapped_sum(T a, T b) {
  return static_cast<T>(static_cast<u32>(a) + static_cast<u32>(b));
}

template <class T>
void add_24_bit(FormTable& t, std::string_view type) {
  if constexpr (std::is_signed_v<T>) {
    t[{"mad24.hi.sat.", type}] = lanewise<[](T a, T b, T c) {
      using L = std::numeric_limits<T>;
      return static_cast<T>(std::clamp<s64>(s64{high_product24(a, b)} + c, L::min(), L::max()));
    }>(kClass);
  }
  t[{"mul24.hi.", type}] = lanewise<[](T a, T b) { return high_product24(a, b); }>(kClass);
  t[{"mul24.lo.", type}] = lanewise<[](T a, T b) { return low_product24(a, b); }>(kClass);
  t[{"mad24.hi.", type}] =
      lanewise<[](T a, T b, T c) { return wrapped_sum(high_product24(a, b), c); }>(kClass);
  t[{"mad24.lo.", type}] =
      lanewise<[](T a, T b, T c) { return wrapped_sum(low_product24(a, b), c); }>(kClass);
  t[{"szext.clamp.", type}] = lanewise<[](T a, u32 width) { return extend(a, width, true); }>(kClass);
  t[{"szext.wrap.", type}] = lanewise<[](T a, u32 width) { return extend(a, width, false); }>(kClass);
}

/// Decoded::option of SIMD video instructions.
constexpr std::uint8_t kSignedResult = 1, kSignedA = 2, kSignedB = 4, kSaturate = 8, kAccumulate = 16;

template <int kPartBits, auto F>
inline u32 video_lane(u32 a, u32 b, u32 c, std::uint8_t option) {
  const auto extended = [](u32 word, unsigned shift, bool is_signed) {
    const u32 top = word >> shift << (32 - kPartBits);
    return is_signed ? static_cast<s32>(top) >> (32 - kPartBits) : static_cast<s32>(top >> (32 - kPartBits));
  };
  const bool is_signed = (option & kSignedResult) != 0;
  const s32 lowest = is_signed ? -(1 << (kPartBits - 1)) : 0;
  const s32 highest = (1 << (is_signed ? kPartBits - 1 : kPartBits)) - 1;
  u32 packed = 0;
  for (unsigned shift = 0; shift < 32; shift += kPartBits) {
    s32 value = F(extended(a, shift, (option & kSignedA) != 0), extended(b, shift, (option & kSignedB) != 0));
    if ((option & kSaturate) != 0) value = std::clamp(value, lowest, highest);
    // With .add, the result is the sum of all parts and c.
    c += static_cast<u32>(value);
    packed |= (static_cast<u32>(value) & (~0U >> (32 - kPartBits))) << shift;
  }
  return (option & kAccumulate) != 0 ? c : packed;
}

template <int kPartBits, auto F>
const Decoded* video(Warp& warp, const Decoded& d) {
  const u32* a = vector_at<const u32>(warp, d.a);
  const u32* b = vector_at<const u32>(warp, d.b);
  const u32* c = vector_at<const u32>(warp, d.c);
  const std::uint8_t option = d.option;
  write_lanes<u32>(warp, d.dst,
                   [=](int lane) { return video_lane<kPartBits, F>(a[lane], b[lane], c[lane], option); });
  return &d + 1;
}

/// A fraction of one half is rounded away from zero.
constexpr s32 rounded_average(s32 a, s32 b) {
  const s32 sum = a + b;
  return (sum >= 0 ? sum + 1 : sum) >> 1;
}

/// Adds `name`.dtype.atype.btype with .sat and .add. The plain forms write the whole destination and ignore
/// their third input.
void add_video(FormTable& t, std::string_view name, Handler handler, bool has_result_type,
               std::string_view comparison = "") {
  for (unsigned bits = 0; bits < 8; ++bits) {
    const auto type = [&](unsigned bit) { return (bits & bit) != 0 ? ".s32" : ".u32"; };
    if (!has_result_type && (bits & kSignedResult) != 0) continue;
    const std::string types =
        joined({has_result_type ? type(kSignedResult) : "", type(kSignedA), type(kSignedB), comparison});
    const auto add = [&](std::string_view suffix, unsigned option) {
      t[{name, types, suffix}] = {.handler = handler,
                                  .counted_as = kClass,
                                  .operands = {Lane::b32, Lane::b32, Lane::b32, Lane::b32},
                                  .option = static_cast<std::uint8_t>(bits | option)};
    };
    add("", 0);
    add(".add", kAccumulate);
    if (has_result_type) add(".sat", kSaturate);
  }
}

template <int kPartBits>
void add_video_forms(FormTable& t) {
  const std::string_view parts = kPartBits == 8 ? "4" : "2";
  add_video(t, joined({"vadd", parts}), video<kPartBits, [](s32 a, s32 b) { return a + b; }>, true);
  add_video(t, joined({"vsub", parts}), video<kPartBits, [](s32 a, s32 b) { return a - b; }>, true);
  add_video(t, joined({"vavrg", parts}), video<kPartBits, [](s32 a, s32 b) { return rounded_average(a, b); }>,
            true);
  add_video(t, joined({"vabsdiff", parts}), video<kPartBits, [](s32 a, s32 b) { return std::abs(a - b); }>,
            true);
  add_video(t, joined({"vmin", parts}), video<kPartBits, [](s32 a, s32 b) { return std::min(a, b); }>, true);
  add_video(t, joined({"vmax", parts}), video<kPartBits, [](s32 a, s32 b) { return std::max(a, b); }>, true);
  const std::string set = joined({"vset", parts});
  add_video(t, set, video<kPartBits, [](s32 a, s32 b) { return s32{a == b}; }>, false, ".eq");
  add_video(t, set, video<kPartBits, [](s32 a, s32 b) { return s32{a != b}; }>, false, ".ne");
  add_video(t, set, video<kPartBits, [](s32 a, s32 b) { return s32{a < b}; }>, false, ".lt");
  add_video(t, set, video<kPartBits, [](s32 a, s32 b) { return s32{a <= b}; }>, false, ".le");
  add_video(t, set, video<kPartBits, [](s32 a, s32 b) { return s32{(a > b)}; }>, false, ".gt");
  add_video(t, set, video<kPartBits, [](s32 a, s32 b) { return s32{(a >= b)}; }>, false, ".ge");
}

}  // namespace

void add_packed_integer_forms(FormTable& t) {
  using s8 = std::int8_t;
  using u8 = std::uint8_t;
  using s16 = std::int16_t;
  using u16 = std::uint16_t;
  add_dot_products<u8, u16, u8>(t, ".u32.u32");
  add_dot_products<u8, u16, s8>(t, ".u32.s32");
  add_dot_products<s8, s16, u8>(t, ".s32.u32");
  add_dot_products<s8, s16, s8>(t, ".s32.s32");
  add_half_words<s16>(t, "s16x2");
  add_half_words<u16>(t, "u16x2");
  add_relu_forms(t);
  add_24_bit<u32>(t, "u32");
  add_24_bit<s32>(t, "s32");
  t["fns.b32"] =
      lanewise<[](u32 mask, u32 base, s32 offset) { return find_nth_set(mask, base, offset); }>(kClass);
  t["bmsk.clamp.b32"] = lanewise<[](u32 a, u32 b) { return bit_mask(a, b, true); }>(kClass);
  t["bmsk.wrap.b32"] = lanewise<[](u32 a, u32 b) { return bit_mask(a, b, false); }>(kClass);
  add_video_forms<8>(t);
  add_video_forms<16>(t);
}

}  // namespace vgpu::exec::VGPU_ISA
