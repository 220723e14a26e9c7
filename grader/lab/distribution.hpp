// How input values are spread. All are exact in float and depend on the generator alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/random.hpp"

namespace grader {

/// "uniform": multiples of 2^-23 in [-1, 1). "positive": in [2^-24, 1]. "negative": the same below 0.
/// "integers": -8 to 8, whose sums are exact in float. "mixed": either sign, magnitudes from 2^-10 to 2^10
/// spread evenly over the binades, so that few terms dominate a sum. "large" and "tiny": the same from 2^20
/// to 2^40, and from 2^-40 to 2^-20. "equal": one value of "uniform", everywhere. "ascending", "descending":
/// "uniform", sorted. "cancelling": "large", each followed by its negative, and one value of "tiny" in eight,
/// so that a sum loses almost everything.
const std::vector<std::string>& distributions();

/// Raise it when the same seed gives other values than before: every dataset changes then.
inline constexpr int kGeneratorVersion = 1;

/// Requires: `distribution` is one of distributions().
std::vector<float> random_values(std::size_t count, const std::string& distribution, SplitMix64& random);

}  // namespace grader
