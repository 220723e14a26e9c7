// Grades a class: one result per submission and owed lab, whatever happens. A run that was
// killed at any instant can be continued, and then ends with the same files as a run that was not killed.
// Covered by schedule/class_run_test.cpp and e2e/resume_test.cpp.
//
// DIR/manifest.json        the submissions to grade and the settings (schedule/manifest.hpp)
// DIR/sources/<sha256>     the files handed in DIR/results/<submission>/<lab>.json   complete or absent, as
// soon as a submission is graded DIR/gradebook.csv, DIR/summary.json   made from the result files at the end
// DIR/journal.jsonl        the events of the run; append-only, written by this process alone
// DIR/history/<number>/ replaced files
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/result_json.hpp"
#include "schedule/grade_items.hpp"
#include "schedule/intake.hpp"
#include "schedule/submissions.hpp"

namespace grader {

/// What to do with results that DIR contains already.
enum class Earlier {
  refuse,        ///< a folder that contains a run is not changed: WG-G33
  resume,        ///< they count; WG-G34 if sources, rubrics or settings have changed since
  only_changed,  ///< those count whose source, rubric and settings have not changed
  only_failed,   ///< like resume, but faults of the grader or the machine do not count
};

/// Grades the given items (indices into manifest.items) and publishes their results in DIR/results. Calls
/// `done` for each result, from one thread at a time. Returns an error if the work cannot be finished; the
/// results of the remaining items are then missing.
using Executor = std::function<std::optional<Diagnostic>(
    const std::filesystem::path& dir, const Manifest& manifest, const std::vector<std::size_t>& items,
    const std::function<void(const ItemDone&)>& done)>;

struct ClassOptions {
  std::filesystem::path out;  ///< DIR
  Earlier earlier = Earlier::refuse;
  Owed owed = Owed::every_lab;
  RunSettings settings;
  std::string seed_file_path;
  std::atomic<bool>* stop = nullptr;  ///< set from outside (Ctrl-C)
  /// Computes the result that a submission would get now from a stored result that does not count any more;
  /// nullopt: the submission must be run again (Grading::rescore()). Can be empty.
  std::function<std::optional<Result>(const Result& stored)> rescore;
  AnswerGrader answers;  ///< of results that are rescored; can be empty
  /// In the first call, `done` is the number of results that existed before this run.
  std::function<void(std::size_t done, std::size_t total, const std::string& latest)> progress;
};

struct ClassOutcome {
  ClassSummary summary;  ///< of the finished results
  std::optional<Diagnostic>
      fault;  ///< why the run could not begin or end; files written until then are complete
  std::vector<std::string> notes;  ///< for the user: results that were graded again, and why
};

ClassOutcome grade_class(const std::vector<Lab>& labs, const std::vector<Submission>& submissions,
                         const Executor& execute, const ClassOptions& options);

}  // namespace grader
