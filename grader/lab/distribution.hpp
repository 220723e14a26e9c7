// Distributions of input values. All values are exact in float and depend only on the generator.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/random.hpp"

namespace grader {

/// "uniform": multiples of 2^-23 in [-1, 1). "positive": in [2^-24, 1]. "negative": in [-1, -2^-24].
/// "nonpositive": -8 to 0, integers; every 0 is -0. "integers": -8 to 8, whose sums are exact in float.
/// "mixed": either sign, magnitudes from 2^-10 to 2^10 distributed evenly over the binades, so that few terms
/// dominate a sum. "large", "huge" and "tiny": like "mixed", with magnitudes from 2^20 to 2^40, from 2^108 to
/// 2^128 (the end of float's range: some sums are infinite), and from 2^-40 to 2^-20. "vast": from 2^100 to
/// 2^120 (sums are finite, products are not). "faint": from 2^-70 to 2^-50, so that about a quarter of the
/// products of two values are subnormal. "subnormal": either sign, magnitudes below 2^-126, never 0. "equal":
/// one value of "uniform" for all elements. "ascending", "descending": "uniform", sorted. "cancelling":
/// values of "large", each followed by its negative, and every eighth value from "tiny", so that a sum
/// cancels almost completely. "outliers": "uniform", but one of 32 values is from "large". "infinite":
/// "positive", but the workload puts infinities in chosen places.
const std::vector<std::string>& distributions();
/// All but "huge", "vast" and "infinite": their sums and products are finite.
const std::vector<std::string>& summable_distributions();

/// Increase it if the same seed gives different values than before: all datasets then change.
inline constexpr int kGeneratorVersion = 1;

/// Requires: `distribution` is one of distributions().
std::vector<float> random_values(std::size_t count, const std::string& distribution, SplitMix64& random);

}  // namespace grader
