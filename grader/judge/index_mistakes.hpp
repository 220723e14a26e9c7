// Why an index leaves a vector in global memory although there is a thread for each element: a factor too
// many, or an offset that the loop's condition does not cover. Covered by
// tests/judge/index_mistakes_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "judge/judge.hpp"

namespace grader {

struct IndexMistake {
  std::string likely_cause, next_step;
};

/// `fault` is an access past the end of an array without rows, in that launch.
std::optional<IndexMistake> mistake_of_index(const vgpu::Fault& fault, const vgpu::LaunchRecord& launch,
                                             const SourceText& source);

}  // namespace grader
