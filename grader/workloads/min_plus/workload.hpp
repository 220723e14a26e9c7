// One step of shortest paths: r[i][j] = min over k of d[i][k] + d[k][j], for a row-major n × n matrix of
// distances that can be infinite (no edge) or negative. Also the padded copies that the fast version reads.
//
// The tolerance is 0. Every candidate is the sum of two floats, rounded once, and a minimum is exact, so each
// order of evaluation gives the same float. Therefore the oracle adds in float, too. Infinite candidates stay
// infinite; negative infinity does not occur, so neither does NaN.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/workload.hpp"

namespace grader::min_plus {

const Workload& workload();

/// A block of version 2 covers this many rows and columns; padded matrices are a multiple of it.
inline constexpr std::size_t kMinPlusTile = 64;

/// Computes the whole matrix r.
std::vector<float> min_plus(const std::vector<float>& d, std::size_t n);

}  // namespace grader::min_plus
