// Vector addition of host arrays in segments: c = a + b + … + b, with `rounds` additions, which stand for
// heavier work of the kernel; and facts of the device.
//
// Tolerance of an element: rounds · u · (|a| + rounds · |b|), with u = 2^-24. Each addition rounds a partial
// sum, none of which exceeds the parenthesis, by at most u of it; every order and a fused multiply-add stay
// within.
#pragma once

#include "lab/workload.hpp"

namespace grader {

const Workload& pinned_streams_workload();

/// The facts that device_facts is asked for, in its order.
struct DeviceFacts {
  int copy_engines = 0;
  bool overlaps_kernels = false, copies_both_ways = false, fits_vectors = false;
};
DeviceFacts device_facts_of(const harness::Job& job);

}  // namespace grader
