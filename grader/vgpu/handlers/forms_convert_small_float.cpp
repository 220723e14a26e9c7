// Conversions from and to f16, bf16, tf32 and the 8-bit formats e4m3 and e5m2 (PTX ISA 9.7.9, cvt), and
// cvt.pack.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "vgpu/handlers/conversion.hpp"
#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/small_float.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr auto kClass = InstructionClass::conversion;

using Tf32 = SmallFloat<8, 10>;  // in the upper 19 bits of a word
using E5m2 = SmallFloat<5, 2>;
using E4m3 = SmallFloat<4, 3, false>;

/// The value as a double. Integers of 64 bits are rounded to odd at bit 11, the lowest that a double keeps,
/// so that the later rounding gives the same result as rounding the integer itself.
template <class T>
inline double wide(T value) {
  if constexpr (!std::is_integral_v<T> || sizeof(T) < 8) {
    return static_cast<double>(value);
  } else {
    constexpr u64 kLow = (u64{1} << 11U) - 1;
    const bool negative = value < 0;
    const u64 magnitude = negative ? 0 - static_cast<u64>(value) : static_cast<u64>(value);
    const bool is_exact = magnitude < (u64{1} << 53U);
    const u64 odd = is_exact ? magnitude : (magnitude & ~kLow) | ((magnitude & kLow) != 0 ? kLow + 1 : 0);
    const auto result = static_cast<double>(odd);
    return negative ? -result : result;
  }
}

template <class H>
inline u32 relu(u32 bits) {
  return (bits & H::kSign) != 0 ? 0 : bits;
}
template <class H>
inline u32 saturated(double value) {
  return H::narrow(unit_clamped(value));
}
inline float flushed(float x) { return std::fabs(x) < 0x1p-126F ? std::copysign(0.0F, x) : x; }

// Most conversions run in stages, each of them over all 32 lanes: the stages are few, their combinations are
// hundreds.

using Numbers = std::array<double, kWarpLanes>;
using Read = void (*)(Warp&, u32 offset, Numbers&);
using Adjust = void (*)(Numbers&);
using Narrow = void (*)(const Numbers&, Bits&);
using Finish = void (*)(Bits&);
using Write = void (*)(Warp&, u32 offset, const Numbers&);

template <class From>
[[gnu::noinline]] void read(Warp& warp, u32 offset, Numbers& numbers) {
  const auto* a = vector_at<const Stored<From>>(warp, offset);
  for (int i = 0; i < kWarpLanes; ++i) numbers[i] = wide(static_cast<From>(a[i]));
}
[[gnu::noinline]] void read_flushed(Warp& warp, u32 offset, Numbers& numbers) {
  const auto* a = vector_at<const float>(warp, offset);
  for (int i = 0; i < kWarpLanes; ++i) numbers[i] = flushed(a[i]);
}
template <class H, bool kFlush>
[[gnu::noinline]] void read_small(Warp& warp, u32 offset, Numbers& numbers) {
  const auto* a = vector_at<const u32>(warp, offset);
  for (int i = 0; i < kWarpLanes; ++i) numbers[i] = H::widen(kFlush ? H::flushed(a[i]) : a[i] & 0xFFFFU);
}

[[gnu::noinline]] void clamp_to_unit(Numbers& numbers) {
  for (double& number : numbers) number = unit_clamped(number);
}
template <Round kRound>
[[gnu::noinline]] void round_to_integral(Numbers& numbers) {
  for (double& number : numbers) number = to_integral<kRound>(number);
}

template <class H, Rounding kRounding, bool kSaturates>
[[gnu::noinline]] void narrow(const Numbers& numbers, Bits& bits) {
  for (int i = 0; i < kWarpLanes; ++i) bits[i] = H::template narrow<kRounding>(numbers[i], kSaturates);
}
template <class H>
[[gnu::noinline]] void relu_all(Bits& bits) {
  for (u32& word : bits) word = relu<H>(word);
}

/// Converts NaN like a NaN of type float.
template <class I>
[[gnu::noinline]] void write_integers(Warp& warp, u32 offset, const Numbers& numbers) {
  write_lanes<Stored<I>>(warp, offset,
                         [&](int lane) { return clamped<I>(static_cast<float>(numbers[lane])); });
}

template <Read kRead, Narrow kNarrow, Adjust kAdjust = nullptr, Finish kFinish = nullptr>
const Decoded* to_small(Warp& warp, const Decoded& d) {
  Numbers numbers;
  Bits bits;
  kRead(warp, d.a, numbers);
  if constexpr (kAdjust != nullptr) kAdjust(numbers);
  kNarrow(numbers, bits);
  if constexpr (kFinish != nullptr) kFinish(bits);
  write_bits(warp, d.dst, bits);
  return &d + 1;
}

/// cvt.rn.f16x2.f32 d, a, b: the upper half of d is a, the lower half b.
template <Narrow kNarrow, Finish kFinish = nullptr>
const Decoded* to_pair(Warp& warp, const Decoded& d) {
  Numbers numbers;
  // PTX ISA, "cvt": for pairs, the first input goes into the upper half, the second into the lower half.
  Bits high, low;
  read<float>(warp, d.a, numbers);
  kNarrow(numbers, high);
  read<float>(warp, d.b, numbers);
  kNarrow(numbers, low);
  if constexpr (kFinish != nullptr) {
    kFinish(high);
    kFinish(low);
  }
  for (int i = 0; i < kWarpLanes; ++i) low[i] |= high[i] << 16U;
  write_bits(warp, d.dst, low);
  return &d + 1;
}

template <Read kRead, Adjust kRound, Write kWrite>
const Decoded* to_integer(Warp& warp, const Decoded& d) {
  Numbers numbers;
  kRead(warp, d.a, numbers);
  kRound(numbers);
  kWrite(warp, d.dst, numbers);
  return &d + 1;
}

Form conversion(Handler handler, Lane to, Lane from, Lane second = Lane::none) {
  return {.handler = handler, .counted_as = kClass, .operands = {to, from, second}};
}

template <class H, class From, Rounding kRounding>
void add_to(FormTable& t, std::string_view rounding, std::string_view type) {
  constexpr Narrow kNarrow = narrow<H, kRounding, false>;
  const auto add = [&](std::string_view suffix, Handler handler) {
    t[{"cvt", rounding, suffix, ".", type, kSuffix<From>}] = conversion(handler, Lane::b32, lane_of<From>());
  };
  add("", to_small<read<From>, kNarrow>);
  if constexpr (std::is_floating_point_v<From>) {
    add(".relu", to_small<read<From>, kNarrow, nullptr, relu_all<H>>);
    add(".satfinite", to_small<read<From>, narrow<H, kRounding, true>>);
    add(".sat", to_small<read<From>, kNarrow, clamp_to_unit>);
  }
  if constexpr (std::is_same_v<From, float>) add(".ftz", to_small<read_flushed, kNarrow>);
}

template <class H, class From>
void add_to_rounded(FormTable& t, std::string_view type) {
  add_to<H, From, Rounding::nearest_even>(t, ".rn", type);
  add_to<H, From, Rounding::zero>(t, ".rz", type);
  add_to<H, From, Rounding::down>(t, ".rm", type);
  add_to<H, From, Rounding::up>(t, ".rp", type);
}

template <class H, class I>
void add_integer(FormTable& t, std::string_view type) {
  add_to_rounded<H, I>(t, type);
  const auto add = [&]<Round kRound>(std::string_view rounding) {
    const auto add_form = [&](std::string_view suffix, Handler handler) {
      t[{"cvt", rounding, suffix, kSuffix<I>, ".", type}] = conversion(handler, lane_of<I>(), Lane::b32);
    };
    // As for float and double, .sat adds nothing to a conversion to integers.
    constexpr Handler kPlain = to_integer<read_small<H, false>, round_to_integral<kRound>, write_integers<I>>;
    add_form("", kPlain);
    add_form(".sat", kPlain);
    add_form(".ftz", to_integer<read_small<H, true>, round_to_integral<kRound>, write_integers<I>>);
  };
  add.template operator()<Round::nearest_even>(".rni");
  add.template operator()<Round::zero>(".rzi");
  add.template operator()<Round::down>(".rmi");
  add.template operator()<Round::up>(".rpi");
}

template <class H>
void add_same(FormTable& t, std::string_view type) {
  const auto add = [&]<Round kRound>(std::string_view rounding) {
    t[{"cvt", rounding, ".", type, ".", type}] =
        lanewise<[](u16 a) { return static_cast<u16>(H::narrow(to_integral<kRound>(H::widen(a)))); }>(kClass);
  };
  add.template operator()<Round::nearest_even>(".rni");
  add.template operator()<Round::zero>(".rzi");
  add.template operator()<Round::down>(".rmi");
  add.template operator()<Round::up>(".rpi");
  t[{"cvt.", type, ".", type}] = lanewise<[](u16 a) { return a; }>(kClass);
  t[{"cvt.sat.", type, ".", type}] =
      lanewise<[](u16 a) { return static_cast<u16>(saturated<H>(H::widen(a))); }>(kClass);
}

template <class H, Rounding kRounding>
void add_pair(FormTable& t, std::string_view rounding, std::string_view type) {
  const auto add = [&](std::string_view suffix, Handler handler) {
    t[{"cvt", rounding, suffix, ".", type, "x2.f32"}] = conversion(handler, Lane::b32, Lane::f32, Lane::f32);
  };
  add("", to_pair<narrow<H, kRounding, false>>);
  add(".relu", to_pair<narrow<H, kRounding, false>, relu_all<H>>);
  add(".satfinite", to_pair<narrow<H, kRounding, true>>);
  add(".relu.satfinite", to_pair<narrow<H, kRounding, true>, relu_all<H>>);
}

template <class H>
void add_half(FormTable& t, std::string_view type) {
  add_to_rounded<H, float>(t, type);
  add_to_rounded<H, double>(t, type);
  const auto integers = [&]<class... I>() { (add_integer<H, I>(t, type), ...); };
  integers.template
  operator()<std::uint8_t, u16, u32, u64, std::int8_t, std::int16_t, std::int32_t, std::int64_t>();
  add_same<H>(t, type);
  add_pair<H, Rounding::nearest_even>(t, ".rn", type);
  add_pair<H, Rounding::zero>(t, ".rz", type);
  t[{"cvt.f32.", type}] = lanewise<[](u16 a) { return static_cast<float>(H::widen(a)); }>(kClass);
  t[{"cvt.ftz.f32.", type}] =
      lanewise<[](u16 a) { return flushed(static_cast<float>(H::widen(a))); }>(kClass);
  t[{"cvt.sat.f32.", type}] =
      lanewise<[](u16 a) { return static_cast<float>(unit_clamped(H::widen(a))); }>(kClass);
  t[{"cvt.f64.", type}] = lanewise<[](u16 a) { return H::widen(a); }>(kClass);
}

/// Between f16 and bf16, in both directions.
template <class To, class From>
void add_between(FormTable& t, std::string_view types) {
  t[{"cvt.rn", types}] = lanewise<[](u16 a) { return static_cast<u16>(To::narrow(From::widen(a))); }>(kClass);
  t[{"cvt.rz", types}] =
      lanewise<[](u16 a) { return static_cast<u16>(To::template narrow<Rounding::zero>(From::widen(a))); }>(
          kClass);
}

/// Conversions of the 8-bit formats are for pairs only, and saturate.
template <class Q>
void add_quarter(FormTable& t, std::string_view type) {
  t[{"cvt.rn.satfinite.", type, "x2.f32"}] = lanewise<[](float a, float b) {
    return static_cast<u16>(Q::narrow(a, true) << 8U | Q::narrow(b, true));
  }>(kClass);
  t[{"cvt.rn.satfinite.relu.", type, "x2.f32"}] = lanewise<[](float a, float b) {
    return static_cast<u16>(relu<Q>(Q::narrow(a, true)) << 8U | relu<Q>(Q::narrow(b, true)));
  }>(kClass);
  t[{"cvt.rn.satfinite.", type, "x2.f16x2"}] = lanewise<[](u32 a) {
    return static_cast<u16>(Q::narrow(Half::widen(a >> 16U), true) << 8U |
                            Q::narrow(Half::widen(a & 0xFFFFU), true));
  }>(kClass);
  t[{"cvt.rn.f16x2.", type, "x2"}] = lanewise<[](u16 a) {
    return Half::narrow(Q::widen(a >> 8U)) << 16U | Half::narrow(Q::widen(a & 0xFFU));
  }>(kClass);
  t[{"cvt.rn.relu.f16x2.", type, "x2"}] = lanewise<[](u16 a) {
    return relu<Half>(Half::narrow(Q::widen(a >> 8U))) << 16U | relu<Half>(Half::narrow(Q::widen(a & 0xFFU)));
  }>(kClass);
}

template <Rounding kRounding>
void add_tf32(FormTable& t, std::string_view rounding) {
  // A float has 23 fraction bits, tf32 the upper 10 of them.
  constexpr unsigned kUnused = 13;
  t[{"cvt", rounding, ".tf32.f32"}] =
      lanewise<[](float a) { return Tf32::narrow<kRounding>(a) << kUnused; }>(kClass);
  t[{"cvt", rounding, ".satfinite.tf32.f32"}] =
      lanewise<[](float a) { return Tf32::narrow<kRounding>(a, true) << kUnused; }>(kClass);
  t[{"cvt", rounding, ".relu.tf32.f32"}] =
      lanewise<[](float a) { return relu<Tf32>(Tf32::narrow<kRounding>(a)) << kUnused; }>(kClass);
}

/// cvt.pack.sat.u8.s32.b32 d, a, b, c: the low parts of d are a and b, clamped (b lowest), followed by the
/// lower part of c.
template <class T>
constexpr u32 packed(std::int32_t a, std::int32_t b) {
  using L = std::numeric_limits<T>;
  const auto part = [](std::int32_t x) {
    return u32{static_cast<std::make_unsigned_t<T>>(std::clamp<std::int64_t>(x, L::min(), L::max()))};
  };
  return part(a) << (sizeof(T) * 8) | part(b);
}
template <class T>
void add_pack(FormTable& t, std::string_view type) {
  if constexpr (sizeof(T) == 2) {
    t[{"cvt.pack.sat.", type, ".s32"}] =
        lanewise<[](std::int32_t a, std::int32_t b) { return packed<T>(a, b); }>(kClass);
  } else {
    t[{"cvt.pack.sat.", type, ".s32.b32"}] =
        lanewise<[](std::int32_t a, std::int32_t b, u32 c) { return c << 16U | packed<T>(a, b); }>(kClass);
  }
}

}  // namespace

void add_convert_small_float_forms(FormTable& t) {
  add_half<Half>(t, "f16");
  add_half<Bfloat>(t, "bf16");
  add_between<Half, Bfloat>(t, ".f16.bf16");
  add_between<Bfloat, Half>(t, ".bf16.f16");
  add_quarter<E4m3>(t, "e4m3");
  add_quarter<E5m2>(t, "e5m2");
  add_tf32<Rounding::nearest_away>(t, ".rna");
  add_tf32<Rounding::nearest_even>(t, ".rn");
  add_tf32<Rounding::zero>(t, ".rz");
  add_pack<std::int16_t>(t, "s16");
  add_pack<u16>(t, "u16");
  add_pack<std::int8_t>(t, "s8");
  add_pack<std::uint8_t>(t, "u8");
}

}  // namespace vgpu::exec::VGPU_ISA
