// Keeps what `check` has built, so that a student's `ctest` with a test for each case compiles a file once.
// Never used by `grade`: there, every submission is built afresh. Entries are named by the SHA-256 of
// everything that goes into a build. Several processes may share a cache. Covered by
// e2e/check_test.cpp.
#pragma once

#include <filesystem>
#include <string>

#include "runner/runner.hpp"

namespace grader {

class BuildCache {
 public:
  /// `folder` is made when something is stored.
  explicit BuildCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// From the cache, else by Runner::build. A cache that cannot be read or written changes nothing but the
  /// time.
  Expected<Built, BuildFailure> build(const Runner& runner, const std::filesystem::path& source,
                                      const std::string& source_name, const policy::Rules* rules) const;

  /// $XDG_CACHE_HOME/warpgrade, else ~/.cache/warpgrade, else a folder under the system's temporary one.
  static std::filesystem::path default_folder();

 private:
  std::filesystem::path folder_;
};

}  // namespace grader
