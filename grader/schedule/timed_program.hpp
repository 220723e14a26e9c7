// A program of the kit that submissions are compared with: the naive kernel or the taught solution. Built
// once, timed once per case and shared by all submissions. Thread-safe.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "runner/runner.hpp"
#include "schedule/build_cache.hpp"
#include "schedule/case_library.hpp"
#include "schedule/lazy.hpp"

namespace grader {

class TimedProgram {
 public:
  /// `runner` and `cache` (can be null) must outlive the program. `name` is the file's name in the build.
  TimedProgram(const Runner& runner, const BuildCache* cache, std::filesystem::path source, std::string name);

  // Every error is a fault of the kit or of the machine, described in one sentence.
  const Expected<Built, std::string>& built();
  /// Modelled seconds on the virtual GPU.
  const Expected<double, std::string>& seconds(const PreparedCase& prepared, const vgpu::Profile& profile);

 private:
  Expected<double, std::string> measure(const PreparedCase& prepared, const vgpu::Profile& profile);

  const Runner& runner_;
  const BuildCache* cache_;
  std::filesystem::path source_;
  std::string name_;
  Lazy<Expected<Built, std::string>> built_;
  std::mutex mutex_;  ///< guards the map, not its values
  std::map<std::string, Lazy<Expected<double, std::string>>> seconds_;
};

/// Modelled seconds of a finished run on the virtual GPU.
double seconds_of(const CaseRun& run, TimeMeasure measure);

/// Why `run` gave no complete answer; empty if it did.
std::string failure_of(const CaseRun& run);

}  // namespace grader
