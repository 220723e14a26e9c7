// Vector addition of host arrays in segments: c = a + b + … + b, with `rounds` additions, which represent
// heavier work of the kernel. Also facts about the device.
//
// Tolerance of an element: rounds · u · (|a| + rounds · |b|), with u = 2^-24. Each addition rounds a partial
// sum with a relative error of at most u, and no partial sum exceeds the expression in parentheses. Every
// order of additions and a fused multiply-add stay within this bound.
#pragma once

#include "lab/workload.hpp"

namespace grader::pinned_streams {

const Workload& workload();

/// The facts that device_facts returns, in its order.
struct DeviceFacts {
  int copy_engines = 0;
  bool overlaps_kernels = false, copies_both_ways = false, fits_vectors = false;
};
DeviceFacts device_facts_of(const harness::Job& job);

}  // namespace grader::pinned_streams
