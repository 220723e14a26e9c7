// The reasons why single kernels of the comparison with Nsight Compute have other counts than on hardware.
#pragma once

#include <string>

#include "profile/nsight_counters.hpp"

namespace vgpu::validate {

/// The reason why this kernel's counts differ.
std::string reason(const grader::NsightCounter& counter, const std::string& kernel);

}  // namespace vgpu::validate
