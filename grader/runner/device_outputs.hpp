// Checks a submission's answer against device memory. The submission could have written to the channel
// itself, so the grader's process reads the outputs from the virtual GPU's memory and compares them with the
// answer.
#pragma once

#include <string>
#include <vector>

#include "harness/job.hpp"
#include "vgpu/run/device.hpp"

namespace grader {

/// Empty if every output in device memory, also of earlier calls, is bit-identical to the answer's; otherwise
/// a sentence that names the first difference. Outputs in host memory and answers without outputs are not
/// checked.
std::string difference_from_device(const harness::Job& job, const harness::Answer& answer,
                                   const vgpu::Device& device);

/// CaseRun::stored_by. Empty for an answer without outputs.
std::vector<std::vector<vgpu::StoreLine>> lines_of_outputs(const harness::Job& job,
                                                           const harness::Answer& answer,
                                                           const vgpu::Device& device);
/// CaseRun::computed_from, likewise.
std::vector<std::vector<vgpu::TermId>> terms_of_outputs(const harness::Job& job,
                                                        const harness::Answer& answer,
                                                        const vgpu::Device& device);

}  // namespace grader
