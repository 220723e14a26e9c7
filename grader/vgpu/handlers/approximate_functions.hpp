// For forms_*.cpp only: the transcendental functions of the approximate instructions. They are polynomials in
// double precision with errors of about 2^-45, so that the final rounding dominates the error: more exact
// than hardware, within the bounds of the manual, and bit-identical on every machine, which a mathematics
// library does not guarantee. The build forbids contraction into fma here.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "vgpu/handlers/isa.hpp"

namespace vgpu::exec::VGPU_ISA {

/// c[0] + c[1] x + c[2] x^2 + …
template <std::size_t kTerms>
inline double polynomial(const double (&c)[kTerms], double x) {
  double sum = c[kTerms - 1];
  for (std::size_t i = kTerms - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

/// After adding it, the low bits hold the nearest whole number. For |x| < 2^51.
inline constexpr double kToWhole = 0x1.8p52;
inline double nearest_whole(double x) { return (x + kToWhole) - kToWhole; }

inline double exp2_of(double x) {
  // For larger |x| every result is 0 or infinity in the formats for which this is used.
  constexpr double kFar = 256;
  x = x < -kFar ? -kFar : (x > kFar ? kFar : x);
  const double whole = x + kToWhole;
  const double rest = (x - (whole - kToWhole)) * 0x1.62e42fefa39efp-1;  // ln 2
  constexpr double kTaylor[] = {1,        1,         1. / 2,     1. / 6,      1. / 24,      1. / 120,
                                1. / 720, 1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800};
  const std::uint64_t scale = (std::bit_cast<std::uint64_t>(whole) + 1023) << 52U;
  return polynomial(kTaylor, rest) * std::bit_cast<double>(scale);
}

inline double log2_of(double x) {
  // x = 2^exponent * m with m in [sqrt(1/2), sqrt(2)); log m = 2 artanh((m - 1) / (m + 1)).
  const auto bits = std::bit_cast<std::uint64_t>(x);
  constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCD;
  const auto exponent = static_cast<std::int64_t>(bits - kRootHalf) >> 52;
  const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52U));
  const double s = (m - 1) / (m + 1);
  constexpr double kArtanh[] = {1,       1. / 3,  1. / 5,  1. / 7,  1. / 9,
                                1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19};
  constexpr double kTwoOverLn2 = 2 * 0x1.71547652b82fep+0;
  const double finite =
      static_cast<double>(static_cast<int>(exponent)) + kTwoOverLn2 * s * polynomial(kArtanh, s * s);
  if (x == 0) return -HUGE_VAL;
  return x > 0 && x < HUGE_VAL ? finite : (x < 0 ? HUGE_VAL - HUGE_VAL : x);
}

/// The angle in turns, less the nearest whole turn. The argument is reduced with one product, as on
/// hardware: the error grows with |x|, and from 2^51 turns on the angle is 0.
inline double turns_of(double x) {
  const double turns = x * 0x1.45f306dc9c883p-3;  // 1 / 2 pi
  return std::fabs(turns) < 0x1p51 ? turns - nearest_whole(turns) : turns - turns;
}

/// sin(2 pi (turns + quarters / 4))
inline double sine_of_turns(double turns, int quarters) {
  const double nearest = nearest_whole(turns * 4);
  const double angle = (turns - nearest / 4) * 0x1.921fb54442d18p+2;  // 2 pi
  const double square = angle * angle;
  constexpr double kSine[] = {1,           -1. / 6,        1. / 120,        -1. / 5040,
                              1. / 362880, -1. / 39916800, 1. / 6227020800, -1. / 1307674368000};
  constexpr double kCosine[] = {1,
                                -1. / 2,
                                1. / 24,
                                -1. / 720,
                                1. / 40320,
                                -1. / 3628800,
                                1. / 479001600,
                                -1. / 87178291200,
                                1. / 20922789888000};
  const int quarter = static_cast<int>(nearest == nearest ? nearest : 0) + quarters;
  const double value = (quarter & 1) != 0 ? polynomial(kCosine, square) : angle * polynomial(kSine, square);
  return (quarter & 2) != 0 ? -value : value;
}

inline double sin_of(double x) { return sine_of_turns(turns_of(x), 0); }
inline double cos_of(double x) { return sine_of_turns(turns_of(x), 1); }

inline double tanh_of(double x) {
  const double square = x * x;
  // Lambert's continued fraction where the difference below would cancel.
  const double near_zero = x / (1 + square / (3 + square / (5 + square / (7 + square / (9 + square / 11)))));
  const double e = exp2_of(x * (2 * 0x1.71547652b82fep+0));
  return std::fabs(x) < 0.5 ? near_zero : 1 - 2 / (e + 1);
}

}  // namespace vgpu::exec::VGPU_ISA
