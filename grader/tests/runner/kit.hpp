// A runner with this build's kit and the virtual GPU, and sources for it.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "catch.hpp"
#include "runner/runner.hpp"

namespace testing {

inline grader::KitPaths kit_paths() {
  const std::filesystem::path root = WARPGRADE_SOURCE_DIR;
  return {.root = root,
          .student_include = root / "labs/include",
          .cuda_include = root / "grader/vgpu/cudart/include",
          .binaries = WARPGRADE_BINARY_DIR};
}

/// A limit for programs that end by themselves, or at another limit, even on a busy machine.
inline constexpr std::chrono::milliseconds kAmpleTime{20'000};
/// A limit for programs that end at it.
inline constexpr std::chrono::milliseconds kShortTime{1000};

inline grader::RunnerOptions test_options(std::chrono::milliseconds wall = kAmpleTime) {
  grader::RunnerOptions options;
  options.run_limits.wall = wall;
  options.run_limits.memory_bytes = std::uint64_t{256} << 20U;
  return options;
}

/// Created once, because finding the compiler takes time.
inline grader::Runner make_runner(const grader::RunnerOptions& options = test_options()) {
  const char* requested = std::getenv("WARPGRADE_FRONT_END");
  const bool clang = requested != nullptr && std::string_view(requested) == "clang";
  static const auto front_end =
      grader::find_front_end(clang ? std::optional(grader::FrontEndKind::clang) : std::nullopt);
  if (!front_end) FAIL(front_end.error().what);
  static const auto sandbox = grader::Sandbox::open();
  if (!sandbox) FAIL(sandbox.error().what << "; " << sandbox.error().next_step);
  return grader::Runner(kit_paths(), *front_end, *sandbox, options);
}

inline std::filesystem::path test_source(const std::string& name) {
  return std::filesystem::path(WARPGRADE_SOURCE_DIR) / "grader/tests/runner" / name;
}

inline grader::Built build(const grader::Runner& runner, const std::filesystem::path& source) {
  const auto built = runner.build(source, "tiled_matmul.cu");
  if (!built) FAIL(built.error().diagnostics.front().what);
  return *built;
}

}  // namespace testing
