// Which of the job's arrays a finding is about.
#pragma once

#include <optional>
#include <string>

#include "harness/job.hpp"
#include "vgpu/observe/fault.hpp"

namespace grader {

struct NamedArray {
  std::string name;
  Shape shape;
};

/// The harness allocates the job's inputs, then its outputs, before the student's function runs, so
/// allocation n is the n-th of them, provided that its size agrees.
std::optional<NamedArray> named_array(const vgpu::Fault& fault, const harness::Job& job);

}  // namespace grader
