// One step of shortest paths: r[i][j] = min over k of d[i][k] + d[k][j], for a row-major n × n matrix of
// distances that can be infinite (no edge) or negative. Also the padded copies that the fast version reads.
//
// The tolerance is 0. Every candidate is the sum of two floats, rounded once, and a minimum is exact, so each
// order of evaluation gives the same float. Therefore the oracle adds in float, too. Infinite candidates stay
// infinite; negative infinity does not occur, so neither does NaN.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "lab/workload.hpp"

namespace grader::min_plus {

const Workload& workload();

/// A block of version 2 covers this many rows and columns; padded matrices are a multiple of it.
inline constexpr std::size_t kMinPlusTile = 64;
inline std::size_t rounded_up(std::size_t n) { return (n + kMinPlusTile - 1) / kMinPlusTile * kMinPlusTile; }

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
/// Rows of d.
inline std::size_t extent(const harness::Job& job) { return job.inputs[0].shape[0]; }

/// Computes the whole matrix r.
std::vector<float> min_plus(const std::vector<float>& d, std::size_t n);

// Typical mistakes (hypotheses.cpp). They refer to `job`.
std::vector<Hypothesis> step_hypotheses(const harness::Job& job);  ///< also of step_v1()
std::vector<Hypothesis> padding_hypotheses(const harness::Job& job);

}  // namespace grader::min_plus
