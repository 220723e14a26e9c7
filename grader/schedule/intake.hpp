// Copies a class's submissions into the run's folder. Reads every file once, so that the run no longer
// depends on the folder of the submissions. Covered by schedule/class_run_test.cpp.
#pragma once

#include <filesystem>
#include <vector>

#include "schedule/manifest.hpp"
#include "schedule/submissions.hpp"

namespace grader {

/// Which results a submission gets.
enum class Owed {
  handed_in,  ///< of the labs that it contains; of every lab if it contains none, so that it is not dropped
  every_lab,
};

/// Returns one item per submission and owed lab, in this order. Files are stored as DIR/sources/<sha256>,
/// identical ones once. A file that cannot be accepted gives an item with `refused`. Error WG-G21: DIR cannot
/// be written.
Expected<std::vector<WorkItem>, Diagnostic> take_in(const std::vector<Submission>& submissions,
                                                    const std::vector<Lab>& labs, Owed owed,
                                                    const std::filesystem::path& dir);

}  // namespace grader
