// Mistakes that are visible in the text of the student's file: arguments of a launch in another order than
// the kernel's parameters, a parameter without use, an index of the wrong product, blocks of another size
// than the kernel's constant, two arrays in the same shared memory, shuffles in parts of a warp, `=` for
// `+=`. A text of this form can be right, so only a wrong result that nothing else explains is a reason to
// search for it. Covered by tests/judge/visible_mistakes_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judge.hpp"

namespace grader {

struct VisibleMistake {
  std::uint32_t line = 0;  ///< of the launch, or of the index
  std::string likely_cause, next_step;
  bool can_be_meant = false;  ///< a kernel can name its parameters from another point of view than the launch
};
using FoundMistake = std::optional<VisibleMistake>;
using Launches = std::span<const vgpu::LaunchRecord* const>;

/// Makes it the advice of the problem; the problem's own cause remains if the text can be meant.
void advise(Diagnostic& problem, VisibleMistake mistake);

/// A mistake that leads threads to wrong elements, or to none. `launches` are those of the run; `entry` is
/// the student's function.
FoundMistake mistake_of_indices(const SourceText& source, const std::vector<vgpu::LaunchRecord>& launches,
                                std::string_view entry);
/// One that explains any wrong values: memory allocated for an output parameter, arrays exchanged or
/// passed twice, grid and block in exchanged order.
FoundMistake certain_mistake(const SourceText& source, const std::vector<vgpu::LaunchRecord>& launches,
                             std::string_view entry);
/// A pointer that a kernel gets and does not use.
FoundMistake unused_pointer(const SourceText& source, const std::vector<vgpu::LaunchRecord>& launches);
/// A pointer that the function gets and does not use: no kernel can store there.
FoundMistake ignored_parameter(const SourceText& source, std::string_view entry);
/// Only the product of threadIdx and blockDim, which is wrong in any launch.
FoundMistake mistake_of_product(const SourceText& source);
/// As mistake_of_indices(), or a mistake that only changes values.
FoundMistake mistake_of_values(const SourceText& source, const std::vector<vgpu::LaunchRecord>& launches,
                               std::string_view entry);

}  // namespace grader
