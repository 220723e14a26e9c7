// The student archive of this build, unpacked.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "e2e/program.hpp"

namespace testing {

class ArchivedKit {
 public:
  /// `ending`: .tar.gz, or .tar.xz, which takes longer.
  explicit ArchivedKit(const std::string& ending = ".tar.gz");

  const std::filesystem::path& archive() const { return archive_; }
  std::filesystem::path folder() const { return place_.path() / "course"; }
  /// Runs `./warpgrade` in the folder, with the caches of a new user.
  Ended warpgrade(std::vector<std::string> arguments) const;

 private:
  grader::TemporaryFolder place_;
  std::filesystem::path archive_;
};

/// Makes the archive. --for-this-machine is added if this build is not portable.
Ended release(const std::filesystem::path& archive);

}  // namespace testing
