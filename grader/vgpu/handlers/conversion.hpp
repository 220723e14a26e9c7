// For forms_*.cpp only: the rules of conversion (PTX ISA 9.7.9, cvt) for rounding to whole numbers, clamping
// and NaN, each in one place.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "vgpu/handlers/lanes.hpp"

namespace vgpu::exec::VGPU_ISA {

enum class Round : std::uint8_t { nearest_even, zero, down, up };

template <Round kRound, class F>
inline F to_integral(F value) {
  if constexpr (kRound == Round::nearest_even)
    return std::nearbyint(value);  // the mode is always "to nearest"
  if constexpr (kRound == Round::zero) return std::trunc(value);
  if constexpr (kRound == Round::down) return std::floor(value);
  return std::ceil(value);
}

/// Values out of range become the nearest integer of the type. NaN becomes 0, or only the highest bit if
/// either type has 64 bits, as in the manual.
template <class I, class F>
inline I clamped(F value) {
  constexpr F kLow = static_cast<F>(std::numeric_limits<I>::min());
  // 2^n, the largest value plus one, is exact in F.
  constexpr I kHalf = std::numeric_limits<I>::max() / 2 + 1;
  constexpr F kBeyond = static_cast<F>(kHalf) * 2;
  if (value != value)
    return sizeof(I) == 8 || sizeof(F) == 8 ? static_cast<I>(std::uint64_t{1} << (8 * sizeof(I) - 1)) : I{0};
  if (value < kLow) return std::numeric_limits<I>::min();
  if (value >= kBeyond) return std::numeric_limits<I>::max();
  return static_cast<I>(value);
}
/// .sat: clamped to [0, 1]; NaN becomes 0.
template <class T>
inline T unit_clamped(T x) {
  return x > 0 ? (x < 1 ? x : T{1}) : T{0};
}

/// Runs a handler with another rounding mode. The call is opaque to the compiler, so no arithmetic moves
/// across the changes of the mode.
[[gnu::noipa]] inline const Decoded* run_directed(Warp& warp, const Decoded& d, Handler handler, int mode) {
  std::fesetround(mode);
  const Decoded* next = handler(warp, d);
  std::fesetround(FE_TONEAREST);
  return next;
}

template <Handler H, int kMode>
const Decoded* directed(Warp& warp, const Decoded& d) {
  return run_directed(warp, d, H, kMode);
}

/// A type at the end of a spelling.
template <class T>
constexpr std::string_view kSuffix{};
template <>
inline constexpr std::string_view kSuffix<std::uint8_t> = ".u8";
template <>
inline constexpr std::string_view kSuffix<std::uint16_t> = ".u16";
template <>
inline constexpr std::string_view kSuffix<std::uint32_t> = ".u32";
template <>
inline constexpr std::string_view kSuffix<std::uint64_t> = ".u64";
template <>
inline constexpr std::string_view kSuffix<std::int8_t> = ".s8";
template <>
inline constexpr std::string_view kSuffix<std::int16_t> = ".s16";
template <>
inline constexpr std::string_view kSuffix<std::int32_t> = ".s32";
template <>
inline constexpr std::string_view kSuffix<std::int64_t> = ".s64";
template <>
inline constexpr std::string_view kSuffix<float> = ".f32";
template <>
inline constexpr std::string_view kSuffix<double> = ".f64";

}  // namespace vgpu::exec::VGPU_ISA
