// y = a x + y in place, for 00-warm-up. Inputs: x in the memory of the function's arrays, device or host; y,
// the initial value of the output, and a, an array of one element, in host memory.
//
// Tolerance with u = 2^-24: the rounding error of a x is at most u |a x|, and that of the sum is at most u
// times its magnitude, (1 + u) |a x| + |y|. A fused multiply-add does not have the first error. Together at
// most u (2 |a x| + |y|) (1 + u).
#pragma once

#include "lab/workload.hpp"

namespace grader::saxpy {

const Workload& workload();

}  // namespace grader::saxpy
