// A handwritten profile for the tests of its renderers, and golden files to compare text with.
#pragma once

#include <string>

#include "profile/run_profile.hpp"

namespace profile_sample {

/// A transpose kernel: a strided load, a conflicting shared access, a divergent loop, and names that attack
/// terminals and pages.
grader::RunProfile sample_profile();

/// Lane i accesses start + i × stride bytes.
vgpu::RecordedAccess strided(std::uint64_t start, std::uint64_t stride, std::uint32_t lanes = 0xFFFFFFFF);

grader::Terminal plain(std::size_t width = 80);
grader::Terminal colored();
grader::Terminal ascii();

/// As testing::golden() of report/sample.hpp, in tests/profile/golden.
std::string golden(const std::string& name, const std::string& actual);

}  // namespace profile_sample
