// Grades submissions of one lab on one device or on both: builds a file, runs the cases whose tasks can earn
// points, judges and scores. Inputs, expected outputs and the baseline are made once and shared by all
// submissions. On the virtual GPU the same file always gets the same Score, for any number of threads. After
// host code reaches its time limit, the submission's other cases are not run. Thread safety: const members
// may be called from several threads at the same time. Covered by schedule/grading_test.cpp and e2e/.
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
#include "schedule/grading_observer.hpp"

namespace grader {

/// The runners of the devices to grade on: one of them, or both.
struct Runners {
  const Runner* on_virtual = nullptr;
  const Runner* on_cuda = nullptr;

  Devices devices() const {
    if (on_virtual != nullptr && on_cuda != nullptr) return Devices::both;
    return on_cuda != nullptr ? Devices::cuda : Devices::virtual_gpu;
  }
};
/// The runner of a single device.
Runners only(const Runner& runner);

struct GradingOptions {
  vgpu::Profile profile = vgpu::lecture_profile();
  unsigned case_threads = 1;  ///< cases of one submission at the same time; on a real GPU, at most 6
  /// The taught solution, timed on the speed cases of each submission for comparison; nullopt: none.
  std::optional<std::filesystem::path> reference;
  const BuildCache* cache = nullptr;  ///< not owned; nullptr: builds every submission
  std::string grader_version;
  std::string seed_file;  ///< fingerprint of the secret seed file (lab/secret_seeds.hpp); empty: none
};

class Grading {
 public:
  /// The runners must outlive the grading.
  Grading(Lab lab, Runners runners, GradingOptions options);
  Grading(Lab lab, const Runner& runner, GradingOptions options)
      : Grading(std::move(lab), only(runner), std::move(options)) {}
  ~Grading();

  /// nullopt: stopped by RunnerOptions::stop before there was a result. Never throws: failures of the grader
  /// become results with the status grader_fault.
  std::optional<Result> grade(const std::string& submission, const std::filesystem::path& source,
                              const GradingObserver& observer = {}) const;

  /// Grades several submissions that handed in the same bytes; `sink` gets their results, in order, on the
  /// caller's thread. The file is built once. On the virtual GPU it is also run only once, because another
  /// run would give the same result.
  void grade_same(const std::vector<std::string>& submissions, const std::filesystem::path& source,
                  const std::function<void(std::size_t which, Result)>& sink) const;

  /// Computes the result that grade() would give for the submission of `stored`, from the verdicts and
  /// counters in `stored`, without running code. The provenance is kept, except for the rubric, the cases and
  /// the end time. nullopt: `stored` lacks something that this lab needs, another run could differ (a real
  /// GPU, also next to the virtual one, another grader, compiler, sandbox, …), or there is no grade.
  std::optional<Result> rescore(const Result& stored) const;

  /// Makes a result for a submission without a grade: Verdict::rejected or Verdict::grader_fault.
  Result without_grade(const std::string& submission, Verdict verdict, Diagnostic reason) const;

  /// Builds and times the baseline in advance; call it on another thread to use a second core.
  void prepare() const;

  /// The part of the provenance that is the same for every submission.
  Provenance provenance() const;

  const Lab& lab() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// SHA-256 of the lab's lab.json; empty if the file cannot be read.
std::string rubric_sha256(const Lab& lab);

/// A copy of the lab that has only this check, and needs no other task. `name` is a case, or a check as
/// diagnostics name it: "tiling/32x96x64", "traffic/global_load_sectors@square-256". nullopt: there is no
/// such check.
std::optional<Lab> only_check(const Lab& lab, const std::string& name);
/// A copy of the lab that has only this task and the tasks that it needs.
Lab only_task(const Lab& lab, const std::string& task_id);

}  // namespace grader
