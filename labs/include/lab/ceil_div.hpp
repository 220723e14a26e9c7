// How many pieces of a given size cover a length. Usable in host and device code.
#pragma once

#include <cuda_runtime.h>

namespace lab {

/// The smallest integer ≥ length / piece: ceil_div(33, 16) = 3. length ≥ 0, piece ≥ 1; their sum must fit an
/// int.
__host__ __device__ constexpr int ceil_div(int length, int piece) { return (length + piece - 1) / piece; }

}  // namespace lab
