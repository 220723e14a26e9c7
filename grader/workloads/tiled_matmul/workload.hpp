// The matrix product P = M × N: M is m × k, N is k × n, P is m × n, all row-major float.
//
// Tolerance of an element: |P' − P| ≤ c(k) · u · Σ_i |M_ri · N_ic| + a tiny floor (lab/error_bounds.hpp).
// If operands were rounded to half precision, the error of a product is typically 2^-12 · Σ|…| / √k. This
// exceeds the tolerance up to k ≈ 512 for uniform inputs, and up to much larger k for "mixed" inputs, whose
// sums have few dominant terms.
#pragma once

#include "lab/workload.hpp"

namespace grader::tiled_matmul {

const Workload& workload();

struct MatmulSize {
  std::size_t m = 0, k = 0, n = 0;
};
MatmulSize matmul_size(const harness::Job& job);

/// Typical mistakes of a tiled kernel (tiled_matmul_hypotheses.cpp). They refer to `job`.
std::vector<Hypothesis> tiled_matmul_hypotheses(const harness::Job& job);

}  // namespace grader::tiled_matmul
