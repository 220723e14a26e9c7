// For forms_tensor.cpp only: the sums of products that a tensor core computes. NVIDIA does not document the
// rounding of floating-point numbers. The rules below were measured on an H200, bit for bit
// (0022-tensor-cores.md), and have the structure that Fasi et al. ("Numerical behavior of NVIDIA tensor
// cores", PeerJ CS 7:e330, 2021) found on earlier GPUs:
//
// - All products of one instruction and the accumulator are added in one step. Products are exact.
// - The largest exponent among the terms determines the last place, kFractionBits below it. Products and
//   subnormal numbers are not normalised for this: 1.5 · 1.5 has exponent 0.
// - Each term is truncated toward zero at that place. The truncated terms are added exactly.
// - The sum is truncated to f32, or rounded to nearest even to f16. A sum of zero is +0.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "vgpu/handlers/small_float.hpp"

namespace vgpu::exec::VGPU_ISA {

inline constexpr int kFractionBits = 25;

/// f32 and tf32 as formats of small_float.hpp.
using Single = SmallFloat<8, 23>;
using Tf32 = SmallFloat<8, 10>;

/// A finite number: significand · 2^(exponent - fraction digits).
struct Parts {
  /// The exponent of zero: never the largest, and the sum of two does not overflow.
  static constexpr std::int32_t kOfZero = -100'000;

  std::int32_t significand = 0;  ///< with the sign
  std::int32_t exponent = kOfZero;
};

template <class F>
inline constexpr int kDigits = std::countr_zero(F::kSmallestNormal);

template <class F>
inline bool is_special(std::uint32_t bits) {
  return (bits & F::kMagnitude) >= F::kInfinity;
}

template <class F>
inline Parts parts_of(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & F::kMagnitude;
  if (magnitude == 0) return {};
  const std::uint32_t fraction = magnitude % F::kSmallestNormal;
  const auto field = static_cast<std::int32_t>(magnitude / F::kSmallestNormal);
  const auto significand = static_cast<std::int32_t>(field == 0 ? fraction : fraction + F::kSmallestNormal);
  return {(bits & F::kSign) != 0 ? -significand : significand, std::max(field, 1) - F::kBias};
}

/// The lower bits of a register with a tf32 are ignored.
template <class F>
inline constexpr unsigned kIgnoredBits = std::is_same_v<F, Tf32> ? 13 : 0;

/// A row of A or a column of B.
template <class F, int kTerms>
struct FloatFactors {
  std::array<std::int32_t, kTerms> significands, exponents;
  std::array<std::uint32_t, kTerms> bits;
  bool has_special = false;

  void set(int term, std::uint32_t element) {
    const auto i = static_cast<std::size_t>(term);
    const std::uint32_t value = element >> kIgnoredBits<F>;
    const Parts parts = parts_of<F>(value);
    significands[i] = parts.significand;
    exponents[i] = parts.exponent;
    bits[i] = value;
    has_special |= is_special<F>(value);
  }
};

/// A term as a multiple of 2^(largest - kFractionBits), truncated.
template <int kDigitsOfTerm>
inline std::int32_t aligned(std::int32_t significand, std::int32_t below_largest) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(std::abs(significand))
                                  << static_cast<unsigned>(kFractionBits - kDigitsOfTerm);
  const auto kept =
      static_cast<std::int32_t>(magnitude >> static_cast<unsigned>(std::min(below_largest, 31)));
  return significand < 0 ? -kept : kept;
}

/// Exact: the sum has at most 32 bits, from the largest exponent of products (254) down.
inline double scaled(std::int64_t sum, std::int32_t exponent) {
  if (sum == 0) return 0;
  return static_cast<double>(sum) * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52U);
}

template <class F, int kTerms>
inline double finite_sum(const FloatFactors<F, kTerms>& a, const FloatFactors<F, kTerms>& b, Parts c) {
  std::array<std::int32_t, kTerms> products, exponents;
  std::int32_t largest = c.exponent;
  for (int i = 0; i < kTerms; ++i) {
    products[i] = a.significands[i] * b.significands[i];
    exponents[i] = a.exponents[i] + b.exponents[i];
    largest = std::max(largest, exponents[i]);
  }
  std::int64_t sum = aligned<kDigits<Single>>(c.significand, largest - c.exponent);
  for (int i = 0; i < kTerms; ++i) sum += aligned<2 * kDigits<F>>(products[i], largest - exponents[i]);
  return scaled(sum, largest - kFractionBits);
}

/// An infinite or NaN sum as in IEEE 754, independent of the order.
template <class F, int kTerms>
inline double special_sum(const FloatFactors<F, kTerms>& a, const FloatFactors<F, kTerms>& b,
                          std::uint32_t c) {
  double sum = Single::widen(c);
  for (int i = 0; i < kTerms; ++i) sum += F::widen(a.bits[i]) * F::widen(b.bits[i]);
  return sum;
}

/// c + Σ a[i] · b[i] before rounding; c is an f32.
template <class F, int kTerms>
inline double sum_of_products(const FloatFactors<F, kTerms>& a, const FloatFactors<F, kTerms>& b,
                              std::uint32_t c) {
  const bool special = a.has_special || b.has_special || is_special<Single>(c);
  return special ? special_sum(a, b, c) : finite_sum(a, b, parts_of<Single>(c));
}

/// The two kinds of accumulators, as bits.
struct SingleAccumulator {
  static constexpr int kBytes = 4;
  static std::uint32_t as_single(std::uint32_t bits) { return bits; }
  /// Truncated; values that are too large become infinite.
  static std::uint32_t rounded(double sum) {
    if (std::fabs(sum) >= 0x1p128) return Single::kInfinity | (sum < 0 ? Single::kSign : 0);
    return Single::narrow<Rounding::zero>(sum);
  }
};
struct HalfAccumulator {
  static constexpr int kBytes = 2;
  static std::uint32_t as_single(std::uint32_t bits) { return Single::narrow(Half::widen(bits)); }
  static std::uint32_t rounded(double sum) { return Half::narrow(sum); }
};

// The arithmetic of each instruction: the elements' sizes, a row of A, a column of B, and an element of D
// computed from these and an element of C, all as bits.

template <class F, class C, class D>
struct FloatArithmetic {
  static constexpr int kFactorBytes = std::is_same_v<F, Tf32> ? 4 : 2;
  static constexpr int kAddendBytes = C::kBytes, kResultBytes = D::kBytes;
  template <int kTerms>
  using Row = FloatFactors<F, kTerms>;
  template <int kTerms>
  using Column = Row<kTerms>;

  template <int kTerms>
  static std::uint32_t element(const Row<kTerms>& a, const Column<kTerms>& b, std::uint32_t c,
                               bool /*saturates*/) {
    return D::rounded(sum_of_products<F, kTerms>(a, b, C::as_single(c)));
  }
};

/// A chain of fused multiply-adds along k.
struct DoubleArithmetic {
  static constexpr int kFactorBytes = 8, kAddendBytes = 8, kResultBytes = 8;
  template <int kTerms>
  struct Row {
    std::array<double, kTerms> values;
    void set(int term, std::uint64_t bits) {
      values[static_cast<std::size_t>(term)] = std::bit_cast<double>(bits);
    }
  };
  template <int kTerms>
  using Column = Row<kTerms>;

  template <int kTerms>
  static std::uint64_t element(const Row<kTerms>& a, const Column<kTerms>& b, std::uint64_t c,
                               bool /*saturates*/) {
    auto sum = std::bit_cast<double>(c);
    for (std::size_t i = 0; i < kTerms; ++i) sum = std::fma(a.values[i], b.values[i], sum);
    return std::bit_cast<std::uint64_t>(sum);
  }
};

/// Exact. .satfinite clamps the whole sum; otherwise it wraps around.
template <class A, class B>
struct IntegerArithmetic {
  static constexpr int kFactorBytes = 1, kAddendBytes = 4, kResultBytes = 4;
  template <class T, int kTerms>
  struct Factors {
    std::array<std::int32_t, kTerms> values;
    void set(int term, std::uint8_t bits) { values[static_cast<std::size_t>(term)] = static_cast<T>(bits); }
  };
  template <int kTerms>
  using Row = Factors<A, kTerms>;
  template <int kTerms>
  using Column = Factors<B, kTerms>;

  template <int kTerms>
  static std::uint32_t element(const Row<kTerms>& a, const Column<kTerms>& b, std::uint32_t c,
                               bool saturates) {
    std::int32_t products = 0;  // at most 32 products of 16 bits
    for (std::size_t i = 0; i < kTerms; ++i) products += a.values[i] * b.values[i];
    std::int64_t sum = std::int64_t{static_cast<std::int32_t>(c)} + products;
    if (saturates) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
    return static_cast<std::uint32_t>(sum);
  }
};

}  // namespace vgpu::exec::VGPU_ISA
