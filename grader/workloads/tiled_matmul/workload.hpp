// The matrix product P = M × N: M is m × k, N is k × n, P is m × n, all row-major float.
//
// Tolerance of an element: |P' − P| ≤ c(k) · u · Σ_i |M_ri · N_ic| + a tiny floor, with u = 2^-24 and
// c(k) = min(k, 8·√k) + 1. k·u bounds every order of summation (Higham, "Accuracy and Stability of Numerical
// Algorithms", 2nd ed., section 3.1); 8·√k·u does so with a probability of failure of at most 2k·e^-32 an
// element when roundings are independent (Higham and Mary, "A new approach to probabilistic rounding error
// analysis", SIAM J. Sci. Comput. 41, 2019, theorem 2.4). The extra 1 covers the float result's own rounding.
// A product of operands that were rounded to half precision is typically off by 2^-12 · Σ|…| / √k, more
// than the tolerance up to k ≈ 512 for uniform inputs and far beyond that for "mixed" ones, whose sums have
// few terms that count.
#pragma once

#include "lab/workload.hpp"

namespace grader {

const Workload& tiled_matmul_workload();

struct MatmulSize {
  std::size_t m = 0, k = 0, n = 0;
};
MatmulSize matmul_size(const harness::Job& job);

/// c(k) above.
double matmul_error_factor(std::size_t k);

/// Typical mistakes of a tiled kernel (tiled_matmul_hypotheses.cpp). They refer to `job`.
std::vector<Hypothesis> tiled_matmul_hypotheses(const harness::Job& job);

}  // namespace grader
