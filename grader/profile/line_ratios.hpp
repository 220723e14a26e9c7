// The counters of source lines as ratios: what every table of lines shows. Pure. Tested by
// tests/profile/line_ratios_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/kernel_facts.hpp"
#include "report/line_counters.hpp"

namespace grader {

/// `all`: the warp instructions of which the line's are a share.
LineCounters ratios_of(const LineFacts& line, std::uint64_t all);

std::uint64_t warp_instructions(const std::vector<LineFacts>& lines);

/// The lines of the file with this name, in which all kernels are added up. A share is of the warp
/// instructions of all files. At most the first kMaxCountedLines.
std::vector<LineCounters> lines_of_file(const std::vector<KernelFacts>& kernels, const std::string& name);

}  // namespace grader
