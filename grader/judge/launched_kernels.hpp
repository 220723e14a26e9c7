// Kernels that the student's file defines and launches. A search in text, as in source_hints.hpp. Covered by
// tests/judge/visible_mistakes_test.cpp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "judge/visible_mistakes.hpp"

namespace grader {

/// The function `entry` launches a kernel that another function launches, too, and nothing launches another
/// kernel of the file: a line was copied, and its kernel not changed. `launches` are those of the run.
FoundMistake kernel_of_another_function(const SourceText& source,
                                        const std::vector<const vgpu::LaunchRecord*>& launches,
                                        std::string_view entry);

/// The file without the kernels that the run did not launch: their lines are empty. All lines if it launched
/// none.
SourceText without_other_kernels(const SourceText& source,
                                 const std::vector<const vgpu::LaunchRecord*>& launches);

}  // namespace grader
