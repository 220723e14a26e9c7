// The job's arrays in device memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/job.hpp"
#include "vgpu/facts/fault.hpp"

namespace grader {

struct NamedArray {
  std::string name;
  Shape shape;
  bool is_output = false;
};

/// Inputs, then outputs, then those of earlier calls with arrays of their own: the harness allocates them in
/// this order before the student's function runs. Empty arrays have no allocation.
std::vector<NamedArray> device_arrays(const harness::Job& job);

/// The number of allocations on the device that the harness makes and never frees: the arrays, and copies of
/// the inputs of calls that share arrays.
std::size_t harness_allocations(const harness::Job& job);

/// The array that the fault concerns: allocation n is the n-th of device_arrays() if its size matches.
std::optional<NamedArray> named_array(const vgpu::Fault& fault, const harness::Job& job);

/// Whether all arrays are in host memory.
bool is_on_host(const harness::Job& job);

}  // namespace grader
