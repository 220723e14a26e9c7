// For forms_*.cpp only: floating-point formats of at most 19 bits (f16, bf16, tf32, e4m3, e5m2). A value is
// widened to double, which has more than twice as many digits, so that rounding the double result of one
// operation equals rounding the exact result (Figueroa 1995; for fma see odd_sum). Rounding uses integer
// arithmetic: the same bits on every machine, with or without F16C.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "vgpu/handlers/lanes.hpp"

namespace vgpu::exec::VGPU_ISA {

enum class Rounding : std::uint8_t { nearest_even, nearest_away, zero, down, up };

/// A binary format with a sign and the layout of IEEE 754. kHasInfinity: the largest exponent means infinity
/// and NaN; otherwise (e4m3) only all ones mean NaN, and the other patterns are numbers.
template <int kExponentBits, int kMantissaBits, bool kHasInfinity = true>
struct SmallFloat {
  static constexpr std::uint32_t kSign = 1U << (kExponentBits + kMantissaBits);
  static constexpr std::uint32_t kMagnitude = kSign - 1;
  static constexpr std::uint32_t kNan = kMagnitude;  ///< the NaN of NVIDIA hardware
  static constexpr std::uint32_t kSmallestNormal = 1U << kMantissaBits;
  static constexpr std::uint32_t kInfinity = kHasInfinity ? kMagnitude & ~(kSmallestNormal - 1) : kNan;
  static constexpr std::uint32_t kLargest = kInfinity - 1;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;

  static bool is_nan(std::uint32_t bits) {
    const std::uint32_t magnitude = bits & kMagnitude;
    return kHasInfinity ? magnitude > kInfinity : magnitude == kNan;
  }
  static bool is_subnormal(std::uint32_t bits) {
    return (bits & kMagnitude) < kSmallestNormal && (bits & kMagnitude) != 0;
  }
  /// .ftz: subnormal numbers become zeros of the same sign.
  static std::uint32_t flushed(std::uint32_t bits) { return is_subnormal(bits) ? bits & kSign : bits; }

  static double widen(std::uint32_t bits) {
    constexpr int kShift = 52 - kMantissaBits;
    const std::uint64_t sign = static_cast<std::uint64_t>(bits & kSign)
                               << (63 - kExponentBits - kMantissaBits);
    const std::uint64_t magnitude = bits & kMagnitude;
    if (is_nan(bits)) return std::bit_cast<double>(std::uint64_t{0x7FFFFFFFFFFFFFFF});
    if (kHasInfinity && magnitude == kInfinity) return std::bit_cast<double>(sign | 0x7FF0000000000000);
    // Subnormal numbers are whole multiples of the smallest one.
    const double value =
        magnitude < kSmallestNormal
            ? static_cast<double>(magnitude) *
                  std::bit_cast<double>(std::uint64_t{1023 + 1 - kBias - kMantissaBits} << 52U)
            : std::bit_cast<double>((magnitude << kShift) + (std::uint64_t{1023 - kBias} << 52U));
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | sign);
  }

  /// `saturates` (.satfinite): numbers that are too large, and infinity, become the largest number; NaN stays
  /// NaN.
  template <Rounding kRounding = Rounding::nearest_even>
  static std::uint32_t narrow(double value, bool saturates = false) {
    if (value != value) return kNan;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const bool negative = bits >> 63U != 0;
    const std::uint32_t rounded = magnitude_of<kRounding>(bits & ~(std::uint64_t{1} << 63U), negative);
    return (negative ? kSign : 0) |
           (rounded > kLargest ? overflow<kRounding>(bits, negative, saturates) : rounded);
  }

 private:
  template <Rounding kRounding>
  static bool goes_up(std::uint64_t odd, std::uint64_t rest, std::uint64_t half, bool negative) {
    if constexpr (kRounding == Rounding::nearest_even) return rest > half || (rest == half && odd != 0);
    if constexpr (kRounding == Rounding::nearest_away) return rest >= half;
    if constexpr (kRounding == Rounding::zero) return false;
    return rest != 0 && negative == (kRounding == Rounding::down);
  }

  /// Rounds a double given by its bits without the sign, infinity included. The result can exceed kLargest.
  template <Rounding kRounding>
  static std::uint32_t magnitude_of(std::uint64_t bits, bool negative) {
    const int exponent = static_cast<int>(bits >> 52U) - 1023 + kBias;  // in this format
    if (exponent > (1 << kExponentBits)) return kInfinity;
    std::uint64_t mantissa = bits & 0xFFFFFFFFFFFFF;
    int dropped = 52 - kMantissaBits;
    if (exponent >= 1) {
      mantissa |= static_cast<std::uint64_t>(exponent) << 52U;
    } else {
      mantissa |= std::uint64_t{1} << 52U;
      dropped += 1 - exponent;
    }
    // Far below the smallest number only whether the value is zero matters.
    if (dropped > 62) return goes_up<kRounding>(0, bits != 0 ? 1 : 0, 2, negative) ? 1 : 0;
    const std::uint64_t kept = mantissa >> dropped;
    const std::uint64_t rest = mantissa & ((std::uint64_t{1} << dropped) - 1);
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    return static_cast<std::uint32_t>(kept + (goes_up<kRounding>(kept & 1U, rest, half, negative) ? 1 : 0));
  }

  template <Rounding kRounding>
  static std::uint32_t overflow(std::uint64_t bits, bool negative, bool saturates) {
    if (saturates) return kLargest;
    const bool is_infinite = (bits & ~(std::uint64_t{1} << 63U)) == 0x7FF0000000000000;
    constexpr bool kToNearest = kRounding == Rounding::nearest_even || kRounding == Rounding::nearest_away;
    const bool away =
        kToNearest || (kRounding != Rounding::zero && negative == (kRounding == Rounding::down));
    return is_infinite || away ? kInfinity : kLargest;
  }
};

/// One number, or a pair of them, of each lane between the stages of a handler.
using Bits = std::array<std::uint32_t, kWarpLanes>;

[[gnu::noinline]] inline void write_bits(Warp& warp, std::uint32_t offset, const Bits& bits) {
  write_lanes<std::uint32_t>(warp, offset, [&](int lane) { return bits[lane]; });
}

using Half = SmallFloat<5, 10>;
using Bfloat = SmallFloat<8, 7>;

/// The sum rounded to odd: rounding it to a narrower format gives the same result as rounding the exact sum
/// once (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
inline double odd_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);  // exact (Knuth)
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (!(std::fabs(sum) < 0x1p1023) || error == 0 || (bits & 1U) != 0) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// Rounded sum of two numbers, given and returned as bits.
template <class H>
inline std::uint16_t half_sum(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint16_t>(H::narrow(H::widen(a) + H::widen(b)));
}
/// The rounded sums of both halves of a word.
template <class H>
inline std::uint32_t pair_sum(std::uint32_t a, std::uint32_t b) {
  return half_sum<H>(a & 0xFFFFU, b & 0xFFFFU) | std::uint32_t{half_sum<H>(a >> 16U, b >> 16U)} << 16U;
}

}  // namespace vgpu::exec::VGPU_ISA
