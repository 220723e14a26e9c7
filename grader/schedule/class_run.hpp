// Grades a class: every submission for every lab, with a row for each, whatever happens. A run that was
// killed, at whatever instant, is taken up again where it was and ends with the files of one that was not.
// Covered by schedule/class_run_test.cpp and e2e/resume_test.cpp.
//
// DIR/manifest.json        what is to be graded, with which settings (schedule/manifest.hpp)
// DIR/sources/<sha256>     the files handed in
// DIR/results/<submission>/<lab>.json   complete or absent, as soon as a submission is graded
// DIR/gradebook.csv, DIR/summary.json   made from the result files at the end
// DIR/journal.jsonl        what happened; only ever appended to, by this process alone
// DIR/history/<number>/    what was replaced
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/result_json.hpp"
#include "schedule/grade_items.hpp"
#include "schedule/submissions.hpp"

namespace grader {

/// What to do with results that DIR holds already.
enum class Earlier {
  refuse,        ///< a folder that holds a run is left alone: WG-G33
  resume,        ///< they count; WG-G34 when sources, rubrics or settings have changed since
  only_changed,  ///< those count whose source, rubric and settings are what they were
  only_failed,   ///< as resume, but faults of the grader or the machine do not count
};

/// Sees to it that the given items (indices into manifest.items) get results in DIR/results. Calls `done`
/// as they come, from one thread at a time. Returns why it could not; what it did not get to stays missing.
using Executor = std::function<std::optional<Diagnostic>(
    const std::filesystem::path& dir, const Manifest& manifest, const std::vector<std::size_t>& items,
    const std::function<void(const ItemDone&)>& done)>;

struct ClassOptions {
  std::filesystem::path out;  ///< DIR
  Earlier earlier = Earlier::refuse;
  RunSettings settings;
  std::string seed_file_path;
  std::atomic<bool>* stop = nullptr;  ///< set from outside (Ctrl-C)
  /// The result that the submission would get now, from one that does not count any more; nullopt: only
  /// running it can tell (Grading::score_anew()). May be none.
  std::function<std::optional<Result>(const Result& stored)> score_anew;
  /// The first call says how many results were there before.
  std::function<void(std::size_t done, std::size_t total, const std::string& latest)> progress;
};

struct ClassOutcome {
  ClassSummary summary;             ///< what was finished
  std::optional<Diagnostic> fault;  ///< why the run could not begin or end; what was written is complete
  std::vector<std::string> notes;   ///< what the user should know: results that were graded again, and why
};

ClassOutcome grade_class(const std::vector<Lab>& labs, const std::vector<Submission>& submissions,
                         const Executor& execute, const ClassOptions& options);

}  // namespace grader
