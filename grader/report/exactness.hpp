// The line on exactness: which approximate functions a program uses and what their results reach. Pure.
// Covered by tests/report/exactness_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "judge/inexact_kernels.hpp"
#include "vgpu/cudart/device_side/server.hpp"

namespace grader {

/// "exact: no approximate function", or "approximate: ex2.approx.ftz.f32 (2 times, mine.cu:12); no result
/// reaches a branch, an address or a barrier". One sentence for each kernel that uses some, with the kernel's
/// name if there are several kernels. Empty if nothing was launched or analysed.
std::vector<std::string> exactness_lines(const std::vector<vgpu::cudart::SessionReport>& programs);

/// One sentence for each of the first kernels: "blur is approximate: …"; empty if there are none.
std::vector<std::string> exactness_lines(const std::vector<InexactKernel>& kernels);

/// Of one kernel, without its name.
std::string exactness_text(const vgpu::Approximations& approximations);

}  // namespace grader
