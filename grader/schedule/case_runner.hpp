// Runs, judges, counts and times one case of one submission. Thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedule/batches.hpp"
#include "schedule/build_cache.hpp"
#include "schedule/case_library.hpp"
#include "schedule/case_outcome.hpp"
#include "schedule/cuda_timing.hpp"
#include "schedule/timed_program.hpp"
#include "score/missed.hpp"

namespace grader {

class RepeatedRuns;

class CaseRunner {
 public:
  /// All references must outlive the case runner. `cache` can be null; it keeps the baseline's pace on the
  /// GPU for later processes.
  CaseRunner(const Lab& lab, const Runner& runner, CaseLibrary& cases, TimedProgram& baseline,
             vgpu::Profile profile, const BuildCache* cache = nullptr)
      : lab_(lab),
        runner_(runner),
        cases_(cases),
        baseline_(baseline),
        profile_(std::move(profile)),
        timing_(runner, cases, baseline, cache) {}

  /// Never throws: a failure of the grader becomes the verdict grader_fault.
  CaseOutcome run(const std::string& name, const Built& built, const SourceText& source);

  /// nullopt: a timed case, or one that cannot be prepared. Never throws.
  std::optional<BatchCase> batch_case(const std::string& name);
  /// Runs untimed cases on a real GPU in one process, in this order, and returns the outcomes up to the
  /// first one that is not accepted. That one and the missing ones must be run on their own: what an earlier
  /// case left in the process could be the reason for their verdicts. Never throws.
  std::vector<CaseOutcome> run_batch(const std::vector<std::string>& names, const Built& built,
                                     const SourceText& source);

  /// On a real GPU: CudaTiming::learn_pace.
  void learn_pace(const PreparedCase& prepared) { timing_.learn_pace(prepared, profile_of(prepared)); }

  /// Adds to `outcome` the ratios and the time samples of an accepted run on the virtual GPU. They are
  /// computed from the run's named_counters() alone. Returns the baseline's error, if any.
  std::optional<std::string> add_counts(const PreparedCase& prepared, std::map<std::string, double> counters,
                                        CaseOutcome& outcome);

  /// What an accepted run on the virtual GPU misses, after add_counts().
  std::vector<Missed> missed(const PreparedCase& prepared, const CaseOutcome& outcome) const {
    return missed_checks(lab_, prepared.definition->name, outcome.counters, outcome.speed,
                         prepared.quantities);
  }

  /// The profile of the device that the case runs on. The case can set lower limits than the lab's profile.
  vgpu::Profile profile_of(const PreparedCase& prepared) const {
    return profile_for(*prepared.definition, profile_);
  }

 private:
  std::vector<CaseOutcome> run_prepared_batch(const std::vector<const PreparedCase*>& cases,
                                              const Built& built, const SourceText& source);
  CaseOutcome run_prepared(const PreparedCase& prepared, const Built& built, const SourceText& source);
  CaseOutcome run_on_virtual(const PreparedCase& prepared, const Built& built, const SourceText& source);
  CaseOutcome run_on_cuda(const PreparedCase& prepared, const Built& built, const SourceText& source);
  CaseOutcome run_timed_on_cuda(const PreparedCase& prepared, const Speedup& wanted, const Built& built,
                                const SourceText& source);
  /// Adds counters, time samples and clues to the outcome of an accepted run. Returns the grader's own
  /// failure, if any.
  std::optional<std::string> count(const PreparedCase& prepared, const RepeatedRuns& runs,
                                   const SourceText& source, CaseOutcome& outcome);
  CaseVerdict judge(const PreparedCase& prepared, const CaseRun& run, const SourceText& source);
  /// The task whose speed-up is measured on this case; null if none is.
  const Task* timed_task(const std::string& case_name) const;

  const Lab& lab_;
  const Runner& runner_;
  CaseLibrary& cases_;
  TimedProgram& baseline_;
  vgpu::Profile profile_;
  CudaTiming timing_;
};

}  // namespace grader
