// Queries a compiler's version and toolkit.
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

/// Runs `compiler --version` and reads the number after `marker` ("clang version ", ", V"). nullopt: the
/// program did not run, failed, or printed no such number.
std::optional<CompilerVersion> probe_version(const std::filesystem::path& compiler, std::string_view marker);

/// The folder of the toolkit to which this nvcc belongs (it contains bin/): where nvcc itself searches for
/// its headers, even if `nvcc` is a script elsewhere that calls the real one. nullopt: nvcc does not report
/// it.
std::optional<std::filesystem::path> probe_toolkit_root(const std::filesystem::path& nvcc);

}  // namespace grader
