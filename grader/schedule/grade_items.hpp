// Grades items of a manifest in this process and publishes their results. The same for a class on one machine
// and for a task of a cluster: several processes may grade the same items at once; the first complete result
// of each wins. Submissions that handed in the same bytes are graded together. Results do not depend on the
// number of jobs. Covered by schedule/grade_items_test.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schedule/manifest.hpp"
#include "schedule/publish.hpp"

namespace grader {

/// What makes results. Called from several threads; must not throw.
struct Graders {
  /// Grades the file for each of `submissions`, who handed in these very bytes, and passes on their results
  /// as they come: `which` counts from 0. What it did not get to when it was stopped gets none.
  std::function<void(const std::string& lab, const std::filesystem::path& source,
                     const std::vector<std::string>& submissions,
                     const std::function<void(std::size_t which, Result)>& sink)>
      grade;
  /// A result that says why there is no grade: Verdict::rejected or Verdict::grader_fault.
  std::function<Result(const std::string& lab, const std::string& submission, Verdict verdict,
                       Diagnostic reason)>
      without_grade;
};

struct ItemDone {
  std::size_t item = 0;  ///< index into manifest.items
  const Result& result;
  Publication publication{};
};

struct ItemsOptions {
  unsigned jobs = 1;
  std::atomic<bool>* stop = nullptr;     ///< set from outside, and here when results cannot be written
  int attempts = 3;                      ///< at a result that is the grader's or the machine's fault
  std::chrono::milliseconds pause{500};  ///< before another attempt
  /// Of published results and of those that came late; called by one thread at a time.
  std::function<void(const ItemDone&)> done;
};

/// Grades those of `items` (indices into manifest.items) whose result file is not there. A fault is graded
/// again up to `attempts` times; the last one is published. Returns why results could not be written
/// (WG-G21); then the rest was not graded.
std::optional<Diagnostic> grade_items(const std::filesystem::path& dir, const Manifest& manifest,
                                      const std::vector<std::size_t>& items, const Graders& graders,
                                      const ItemsOptions& options);

}  // namespace grader
