// A program of the kit, as a file that can be compiled. In the student archive such files are sealed: a
// private copy then exists as long as the object does. Covered by schedule/kit_source_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/files.hpp"

namespace grader {

class KitSource {
 public:
  /// `source`: "…/naive.cu". If it does not exist, "…/naive.sealed" is unsealed.
  explicit KitSource(const std::filesystem::path& source);

  /// `source` itself if there is neither file, so that its reader reports that it is missing.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<TemporaryFolder> folder_;
};

}  // namespace grader
