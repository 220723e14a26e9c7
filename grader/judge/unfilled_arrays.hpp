// Which part of a shared array a block has not filled before it reads it (WG-M08): rows for which the block
// has no threads, or elements between those that a loop reaches. Pure. Covered by
// tests/judge/unfilled_arrays_test.cpp.
#pragma once

#include <optional>

#include "judge/advice.hpp"
#include "judge/judge.hpp"

namespace grader {

/// `finding`: a read of an unwritten element. nullopt if it is not known which elements are written.
std::optional<Advice> unfilled_part(const vgpu::Fault& finding, const vgpu::LaunchRecord& launch,
                                    const SourceText& source);

}  // namespace grader
