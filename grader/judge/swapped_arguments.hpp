// Arguments in another order than the parameters, as their names in the student's file show: in launches of
// kernels that ran, and in calls of the student's own functions. Covered by
// tests/judge/visible_mistakes_test.cpp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "judge/visible_mistakes.hpp"

namespace grader {

/// The first such launch or call in the function `entry`.
std::optional<VisibleMistake> swapped_arguments(const SourceText& source,
                                                const std::vector<vgpu::LaunchRecord>& launches,
                                                std::string_view entry);

}  // namespace grader
