// Bounds on rounding errors, from which tolerances are computed.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace grader {

/// Unit roundoff of float: the relative error of a rounded result is at most this.
inline constexpr double kUnitRoundoff = 0x1.0p-24;

/// The smallest positive float: larger than the error of a product that underflows.
inline constexpr double kLeastFloat = 0x1.0p-149;

/// The error of a float sum of `terms` products or values is at most this factor times kUnitRoundoff times
/// the sum of their magnitudes, for any order of summation: c = min(terms, 8·√terms) + 1. The first term
/// bounds every order (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.1), the
/// second fails with a probability of at most 2·terms·e^-32 per element if rounding errors are independent
/// (Higham and Mary, "A new approach to probabilistic rounding error analysis", SIAM J. Sci. Comput. 41,
/// 2019, theorem 2.4). The 1 covers the float result's own rounding.
/// (grader/doc/decisions/0005-tolerance-from-k.md)
inline double sum_error_factor(double terms) { return std::min(terms, 8.0 * std::sqrt(terms)) + 1.0; }

/// All integers up to this are exact floats. So a sum of integers never rounds, in any order, if the sum of
/// their magnitudes is at most this.
inline constexpr double kExactInFloat = 0x1.0p24;

inline bool all_integers(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return value == std::rint(value); });
}

}  // namespace grader
