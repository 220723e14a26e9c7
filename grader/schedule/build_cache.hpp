// Keeps the programs that `check`, `lint` and the students' tests have built, so that an unchanged file is
// compiled once, and how long the baseline's call takes on a real GPU. `grade` never uses the cache: it
// builds every submission and measures afresh. An entry's name is the SHA-256 of everything that it depends
// on. Several processes may share a cache. Covered by e2e/check_test.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "runner/runner.hpp"

namespace grader {

class BuildCache {
 public:
  /// `folder` is created when the first entry is stored. An entry is well below 1 MB; beyond `max_entries`,
  /// the oldest are removed.
  explicit BuildCache(std::filesystem::path folder, std::size_t max_entries = 64)
      : folder_(std::move(folder)), max_entries_(max_entries) {}

  /// Returns the program from the cache, or else builds it with Runner::build. A cache that cannot be read or
  /// written only costs time.
  Expected<Built, BuildFailure> build(const Runner& runner, const std::filesystem::path& source,
                                      const std::string& source_name, const policy::Rules* rules) const;

  /// A duration that was kept under this key; nullopt: none, or it cannot be read.
  std::optional<double> seconds(const std::string& key) const;
  void keep_seconds(const std::string& key, double seconds) const;

  /// $XDG_CACHE_HOME/warpgrade, else ~/.cache/warpgrade, else a folder under the system's temporary one.
  static std::filesystem::path default_folder();

 private:
  void store(const Built& built, const std::filesystem::path& entry) const;
  void drop_oldest() const;

  std::filesystem::path folder_;
  std::size_t max_entries_;
};

}  // namespace grader
