// What a compiler answers to --version.
// Covered by tests/toolchain/.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace grader {

struct CompilerVersion {
  std::string text;  ///< "14.0.6"
  int major = 0;
};

/// Runs `compiler --version` and reads the number after `marker` ("clang version ", ", V"). nullopt: it did
/// not run, failed, or said nothing of the kind.
std::optional<CompilerVersion> probe_version(const std::filesystem::path& compiler, std::string_view marker);

}  // namespace grader
