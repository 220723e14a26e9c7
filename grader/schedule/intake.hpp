// Takes in what a class handed in: reads every file once and keeps a copy, so that the run no longer depends
// on the folder it came from. Covered by schedule/intake_test.cpp.
#pragma once

#include <filesystem>
#include <vector>

#include "schedule/manifest.hpp"
#include "schedule/submissions.hpp"

namespace grader {

/// An item for every submission and lab, in this order. Files are kept as DIR/sources/<sha256>, equal ones
/// once; what cannot be taken becomes an item that is refused. WG-G21: DIR cannot be written.
Expected<std::vector<WorkItem>, Diagnostic> take_in(const std::vector<Submission>& submissions,
                                                    const std::vector<Lab>& labs,
                                                    const std::filesystem::path& dir);

}  // namespace grader
