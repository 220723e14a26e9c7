// One step of shortest paths: r[i][j] = min over k of d[i][k] + d[k][j], for a row-major n × n matrix of
// distances that may be infinite (no edge) or negative; and the padded copies that its fast version reads.
//
// The tolerance is 0. Every candidate is one sum of two floats, rounded once, and a minimum rounds nothing:
// each order of evaluation gives the same float. So the oracle adds in float, too. Candidates of infinity
// stay infinity; there is no negative infinity, hence no NaN.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/workload.hpp"

namespace grader {

const Workload& min_plus_workload();

/// A block of version 2 covers this many rows and columns; padded matrices are a multiple of it.
inline constexpr std::size_t kMinPlusTile = 64;

/// All of r.
std::vector<float> min_plus(const std::vector<float>& d, std::size_t n);

}  // namespace grader
