#include "app/process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace grader::app {
namespace {

namespace fs = std::filesystem;

/// A sandbox is started with descriptors above 256 (sandbox/launch.cpp), next to those of other jobs.
constexpr rlim_t kNeededFiles = 512;
/// Enough for as many jobs as one machine runs. Programs in sandboxes inherit the limit, so it is not raised
/// further.
constexpr rlim_t kUsefulFiles = 4096;

std::optional<Diagnostic> raise_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  const rlim_t wanted = std::max(limit.rlim_cur, std::min(limit.rlim_max, kUsefulFiles));
  const rlimit raised{wanted, limit.rlim_max};
  if (wanted > limit.rlim_cur && ::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit.rlim_cur = wanted;
  if (limit.rlim_cur >= kNeededFiles) return std::nullopt;
  return diagnose("WG-G27",
                  fmt::format("this shell permits only {} open files; at least {} are needed", limit.rlim_cur,
                              kNeededFiles),
                  "run the command in a new shell; `ulimit -Hn` shows the limit, and `ulimit -n` lowers it");
}

std::optional<Diagnostic> check_temporary_folder() {
  const char* set = std::getenv("TMPDIR");
  const std::string name = set != nullptr ? fmt::format("TMPDIR={}", set) : "/tmp";
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (!error && ::access(folder.c_str(), W_OK | X_OK) == 0) return std::nullopt;
  const std::string why = error ? error.message() : std::strerror(errno);
  return diagnose("WG-G27", fmt::format("the folder for temporary files ({}) cannot be used: {}", name, why),
                  "set TMPDIR to a folder in which you can write, for example `export TMPDIR=/tmp`");
}

}  // namespace

std::optional<Diagnostic> prepare_process() {
  if (auto problem = raise_open_files()) return problem;
  return check_temporary_folder();
}

}  // namespace grader::app
