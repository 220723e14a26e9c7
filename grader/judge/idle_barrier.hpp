// A barrier that is in the file and still does not separate two accesses, which a race shows. Covered by
// tests/judge/source_hints_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "judge/judge.hpp"
#include "vgpu/facts/fault.hpp"

namespace grader {

struct IdleBarrier {
  std::string likely_cause, next_step;
};

/// Of a race in shared memory: __syncthreads without parentheses, or under a condition.
std::optional<IdleBarrier> idle_barrier(const vgpu::Fault& race, const SourceText& source);

}  // namespace grader
