// Builds a student's file into a shared object; the compilers and the linker run in boxes.
#pragma once

#include <filesystem>
#include <string>

#include "runner/runner.hpp"

namespace grader {

/// Everything that a build depends on, except the source.
struct BuildSetting {
  const KitPaths& paths;
  const FrontEnd& front_end;
  const Sandbox& sandbox;
  const RunnerOptions& options;
  const policy::Rules* rules = nullptr;  ///< nullptr: everything is permitted
  int compute_capability = 0;            ///< cuda only
};

Expected<Built, BuildFailure> build_submission(const BuildSetting& setting,
                                               const std::filesystem::path& source,
                                               const std::string& source_name);

}  // namespace grader
