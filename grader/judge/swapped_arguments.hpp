// Arguments in another order than the parameters, as their names in the student's file show: in launches of
// kernels that ran, and in calls of the student's own functions. Parameters that are never used. Covered by
// tests/judge/visible_mistakes_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "judge/visible_mistakes.hpp"

namespace grader {

/// The first such launch or call in the function `entry`. `launches`: one of each kernel.
std::optional<VisibleMistake> swapped_arguments(const SourceText& source,
                                                std::span<const vgpu::LaunchRecord* const> launches,
                                                std::string_view entry);

/// A pointer that a kernel gets and never uses.
std::optional<VisibleMistake> unused_parameter(const SourceText& source,
                                               std::span<const vgpu::LaunchRecord* const> launches);

}  // namespace grader
