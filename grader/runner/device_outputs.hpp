// The grader's own look at a submission's results: outputs in the virtual GPU's memory are read in the
// grader's process and held against what came over the channel, which the submission could have written.
#pragma once

#include <string>

#include "harness/job.hpp"
#include "vgpu/run/device.hpp"

namespace grader {

/// Empty when every output that lies on the device is there, bit by bit, as the answer has it; otherwise what
/// differs, as a sentence. Outputs in host memory and answers without outputs are not looked at.
std::string difference_from_device(const harness::Job& job, const harness::Answer& answer,
                                   const vgpu::Device& device);

}  // namespace grader
