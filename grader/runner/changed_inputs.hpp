// Compares the inputs after each call of the student's function with the values that were given. Inputs on
// the virtual GPU are read in the grader's process. Inputs in host memory, and those on a real GPU, are what
// the harness sent: the submission could have sent the given values in their place, which gains it nothing. A
// harness that takes turns compares the inputs itself, and sends only those that have changed.
// Covered by tests/runner/changed_inputs_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/job.hpp"
#include "vgpu/run/device.hpp"

namespace grader {

/// An input that differs after a call.
struct ChangedInput {
  std::string name;
  Shape shape;
  harness::Element element{};
  std::size_t call = 0;   ///< index into job.earlier; its size: the last call
  std::size_t count = 0;  ///< of elements that differ
  std::size_t first = 0;  ///< index of the first of them
  std::uint32_t given = 0, found = 0;
  vgpu::StoreLine stored_by = 0;  ///< as in Device::stored_by()
};

/// Reads the inputs that are on the virtual GPU. Returns a sentence that names the first input that is no
/// longer there, or "". Answers without inputs are left as they are.
std::string read_inputs(const harness::Job& job, const vgpu::Device& device, harness::Answer& answer);

/// The inputs that differ from those of the job, bit for bit, in the order of the calls. `rotation`: of the
/// last turn. `device` is null on a real GPU. Requires that the inputs have been read.
std::vector<ChangedInput> changed_inputs(const harness::Job& job, const harness::Answer& answer,
                                         std::uint64_t rotation, const vgpu::Device* device);

}  // namespace grader
