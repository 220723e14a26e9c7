// y = a x + y in place: what 00-warm-up computes. Inputs: x in device memory; y, which the output starts as,
// and a, an array of one element, in host memory.
//
// Tolerance with u = 2^-24: rounding a x is off by at most u |a x|, rounding the sum by at most u times its
// size, (1 + u) |a x| + |y|. With a fused multiply-add the first is not there. Together at most
// u (2 |a x| + |y|) (1 + u).
#pragma once

#include "lab/workload.hpp"

namespace grader {

const Workload& saxpy_workload();

}  // namespace grader
