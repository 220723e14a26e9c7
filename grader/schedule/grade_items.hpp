// Grades items of a manifest in this process and publishes their results. Used for a class on one machine and
// in the tasks of a cluster. Several processes may grade the same item at the same time; the first complete
// result counts. Submissions with identical files are graded together. Results do not depend on the number of
// jobs. Covered by schedule/grade_items_test.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schedule/item_answers.hpp"
#include "schedule/manifest.hpp"
#include "schedule/publish.hpp"

namespace grader {

/// The functions that make results. Called from several threads; must not throw.
struct Graders {
  /// Grades the file for each of `submissions`, which all handed in the same bytes, and passes each result to
  /// `sink` when it is ready; `which` is an index into `submissions`. After a stop, the remaining submissions
  /// get no result.
  std::function<void(const std::string& lab, const std::filesystem::path& source,
                     const std::vector<std::string>& submissions,
                     const std::function<void(std::size_t which, Result)>& sink)>
      grade;
  /// Makes a result without a grade, with the reason: Verdict::rejected or Verdict::grader_fault.
  std::function<Result(const std::string& lab, const std::string& submission, Verdict verdict,
                       Diagnostic reason)>
      without_grade;
  /// Grades answers to the lab's questions. Can be empty: results then have no answers.
  AnswerGrader answers = nullptr;
};

struct ItemDone {
  std::size_t item = 0;  ///< index into manifest.items
  const Result& result;
  Publication publication{};
};

struct ItemsOptions {
  unsigned jobs = 1;
  std::atomic<bool>* stop =
      nullptr;       ///< set by the caller; also set by grade_items() if results cannot be written
  int attempts = 3;  ///< per item, if the result is a fault of the grader or the machine
  std::chrono::milliseconds pause{500};  ///< between two attempts
  /// Called for published results and for those that came too late, by one thread at a time.
  std::function<void(const ItemDone&)> done;
};

/// Grades those of `items` (indices into manifest.items) that have no result file. An item that ends in a
/// fault is graded up to `attempts` times; then the last fault is published. Returns WG-G21 if results cannot
/// be written; the remaining items are then not graded.
std::optional<Diagnostic> grade_items(const std::filesystem::path& dir, const Manifest& manifest,
                                      const std::vector<std::size_t>& items, const Graders& graders,
                                      const ItemsOptions& options);

}  // namespace grader
