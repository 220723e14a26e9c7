// Grades submissions of one lab on one device: builds a file, runs the cases that still matter, judges,
// scores. Inputs, expected outputs and the baseline are made once and shared by all submissions. The same
// file gives the same Score every time on the virtual GPU, however many threads there are. A submission whose
// host code runs into its time limit is not run further: its other cases count as not run.
// Thread safety: const members may be called from several threads at once.
// Covered by schedule/grading_test.cpp and e2e/.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "report/result.hpp"
#include "runner/runner.hpp"
#include "schedule/build_cache.hpp"

namespace grader {

struct GradingOptions {
  vgpu::Profile profile = vgpu::lecture_profile();
  unsigned case_threads = 1;  ///< cases of one submission at the same time
  /// The taught solution, timed beside each submission's speed cases; none when absent.
  std::optional<std::filesystem::path> reference;
  const BuildCache* cache = nullptr;  ///< not owned; `check` only
  std::string grader_version;
  std::string seed_file;  ///< fingerprint of what changed the lab's seeds (lab/secret_seeds.hpp); often none
};

/// Hears what happens while one submission is graded; called from several threads, one at a time.
struct GradingObserver {
  std::function<void(std::string_view)> stage;  ///< "building tiled_matmul.cu", "running 17x33x65"
  std::function<void(const CaseRun&, const CaseVerdict&)> case_done;
};

class Grading {
 public:
  /// `runner` must outlive the grading.
  Grading(Lab lab, const Runner& runner, GradingOptions options);
  ~Grading();

  /// nullopt: stopped (RunnerOptions::stop) before there was a result. Never throws: the grader's own
  /// failures are results with status grader_fault.
  std::optional<Result> grade(const std::string& submission, const std::filesystem::path& source,
                              const GradingObserver& observer = {}) const;

  /// The same for several submissions that handed in these very bytes; `sink` gets their results, in order,
  /// on the caller's thread. Built once; run once too on the virtual GPU, where another run would give the
  /// same.
  void grade_same(const std::vector<std::string>& submissions, const std::filesystem::path& source,
                  const std::function<void(std::size_t which, Result)>& sink) const;

  /// What grade() would give for the submission whose result this is, without running its code: from the
  /// verdicts and counters that the result holds. Its provenance stays, but for rubric, cases and the end.
  /// nullopt: it does not hold all that this lab asks for, another run could differ (a real GPU, another
  /// grader, compiler, sandbox, …), or there is no grade.
  std::optional<Result> score_anew(const Result& stored) const;

  /// A result for a submission that gets no grade: Verdict::rejected or Verdict::grader_fault.
  Result without_grade(const std::string& submission, Verdict verdict, Diagnostic reason) const;

  /// Builds and times the baseline ahead of need; call it on another thread to use a second core.
  void prepare() const;

  /// What every result's provenance says, whatever is handed in.
  Provenance provenance() const;

  const Lab& lab() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// SHA-256 of the lab's lab.json; empty when it cannot be read.
std::string rubric_sha256(const Lab& lab);

/// The lab with nothing but this case, for no points, whatever it needs.
Lab only_case(const Lab& lab, const std::string& case_name);
/// The lab with this task and the tasks that it needs.
Lab only_task(const Lab& lab, const std::string& task_id);

}  // namespace grader
