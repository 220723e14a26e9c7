// Why copies and kernels of a run do not overlap, from the operations' times on the virtual GPU. Covered by
// tests/judge/overlap_test.cpp.
#pragma once

#include <optional>

#include "judge/clues.hpp"

namespace grader {

/// The first reason that applies: pageable memory, kernels that use the host's memory, kernels in the default
/// stream, one stream for all work, waits of the host, pieces that are too small, bytes that are copied
/// again, too many copies, a copy back in the copy engine's queue, too few sets of buffers. nullopt: none.
std::optional<Clue> why_no_overlap(const vgpu::cudart::SessionReport& session, const SourceText& source,
                                   const harness::Job& job);

}  // namespace grader
