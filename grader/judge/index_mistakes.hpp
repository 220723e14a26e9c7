// Why an index leaves a vector in global memory although there is a thread for each element: a factor too
// many, or an offset that the loop's condition does not cover; and why several threads store an element that
// belongs to a block or a warp. Covered by tests/judge/index_mistakes_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "judge/advice.hpp"
#include "judge/judge.hpp"

namespace grader {

/// `fault` is an access past the end of an array without rows, in that launch.
std::optional<Advice> mistake_of_index(const vgpu::Fault& fault, const vgpu::LaunchRecord& launch,
                                       const SourceText& source);

/// `race` is one of two stores to global memory, in that launch. The array has an element for each block or
/// for each warp.
std::optional<Advice> mistake_of_shared_element(const vgpu::Fault& race, const vgpu::LaunchRecord& launch);

}  // namespace grader
