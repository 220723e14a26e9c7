// Sums, maxima and counts of n elements: what 03-reduction-divergence computes. n ≥ 1; a sum of nothing would
// be 0, but a maximum of nothing has no value.
//
// Tolerance of a sum of n floats, whatever the order of its additions, with u = 2^-24:
// - 0, if all elements are multiples of a power of two q and Σ|x| ≤ 2^24 · q: every partial sum is then a
//   multiple of q below 2^24 · q, thus a float, and nothing is ever rounded.
// - (n - 1) u / (1 - (n - 1) u) · Σ|x| otherwise: n - 1 additions, each with a relative error of at most u
//   (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 4.2).
// The second bound is attained up to a small factor when equal values are added one after the other, so
// nothing tighter holds for every order. A mean element is Σ|x| / n; its loss is found up to n ≈ 4,096 and
// never beyond that, so longer sums take "integers", where the first rule finds every loss.
// Maxima and counts are exact.
#pragma once

#include "lab/workload.hpp"

namespace grader {

const Workload& reduction_workload();

/// Elements of one block of block_sums().
inline constexpr std::size_t kReductionBlock = 512;

/// A sum of floats and how far any order of additions may lead from it.
struct BoundedSum {
  double value = 0, magnitude = 0, tolerance = 0;
};
/// Requires: 1 ≤ count ≤ 2^22.
BoundedSum bounded_sum(const float* values, std::size_t count);

/// Typical mistakes of block_sums() and block_sums_shuffle(). They refer to `job`.
std::vector<Hypothesis> block_sums_hypotheses(const harness::Job& job);

}  // namespace grader
