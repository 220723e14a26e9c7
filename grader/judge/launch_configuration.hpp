// Grids and blocks that do not fit the kernel, or are passed in exchanged order. A search in text, as in
// source_hints.hpp. Covered by tests/judge/visible_mistakes_test.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "judge/visible_mistakes.hpp"

namespace grader {

/// A block with one row of several threads.
bool is_flat(const vgpu::LaunchRecord& launch);

/// `<<<block, grid>>>`, as the names of the two arguments show.
FoundMistake exchanged_grid(const SourceText& source, Launches launches, std::string_view entry);
/// Blocks with several rows of threads, of which the kernel reads only threadIdx.x: the rows do the same.
FoundMistake unused_rows_of_block(const SourceText& source, Launches launches);
/// `launches`: those of the run, one of each kernel and shape. `entry` is the student's function.
FoundMistake mistake_of_configuration(const SourceText& source, Launches launches, std::string_view entry);

}  // namespace grader
