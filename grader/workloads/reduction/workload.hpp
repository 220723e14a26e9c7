// Sums, maxima and counts of n elements, for 03-reduction-divergence. n ≥ 1, because the maximum of no
// elements is undefined.
//
// Tolerance of a sum of n floats for every order of additions, with u = 2^-24:
// - 0, if all elements are multiples of a power of two q and Σ|x| ≤ 2^24 · q: every partial sum is then a
//   multiple of q of at most 2^24 · q, so it is exact in float and no addition rounds.
// - (n - 1) u / (1 - (n - 1) u) · Σ|x| otherwise: n - 1 additions, each with a relative error of at most u
//   (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 4.2).
// The second bound is reached up to a small factor if equal values are added one after another, so no tighter
// bound holds for every order. An average element is Σ|x| / n; its loss is found up to n ≈ 4,096 but not
// beyond, so longer sums use "integers", where the first rule finds every loss. Maxima and counts are exact.
#pragma once

#include "lab/workload.hpp"

namespace grader::reduction {

const Workload& workload();

/// Elements of one block of block_sums().
inline constexpr std::size_t kReductionBlock = 512;

/// A sum of floats, with the maximum deviation for any order of additions.
struct BoundedSum {
  double value = 0, magnitude = 0, tolerance = 0;
};
/// Requires: 1 ≤ count ≤ 2^22.
BoundedSum bounded_sum(const float* values, std::size_t count);

/// Warps of a block of vector_add().
inline constexpr std::size_t kVectorAddWarps = 8;

/// What six_votes() and the counts look for.
inline constexpr float kSix = 6;

// Typical mistakes (hypotheses.cpp, count_hypotheses.cpp). They refer to `job`.
std::vector<Hypothesis> block_sums_hypotheses(const harness::Job& job);  ///< also of block_sums_shuffle()
std::vector<Hypothesis> sum_hypotheses(const harness::Job& job);         ///< of reduce_sum()
std::vector<Hypothesis> maximum_hypotheses(const harness::Job& job);
std::vector<Hypothesis> warps_hypotheses(const harness::Job& job);  ///< of the numbers of vector_add()
std::vector<Hypothesis> sixes_hypotheses(const harness::Job& job);  ///< of six_votes() and the counts

}  // namespace grader::reduction
