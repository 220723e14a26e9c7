// What a compiler answers when it is asked about itself.
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

/// The folder above bin/ of the toolkit that this nvcc belongs to: where nvcc itself looks for its headers,
/// even when `nvcc` is a script elsewhere that calls the real one. nullopt: it does not say.
std::optional<std::filesystem::path> probe_toolkit_root(const std::filesystem::path& nvcc);

}  // namespace grader
