// Runs, judges, counts and times one case of one submission. Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "schedule/baseline_pace.hpp"
#include "schedule/batches.hpp"
#include "schedule/build_cache.hpp"
#include "schedule/case_library.hpp"
#include "schedule/timed_program.hpp"
#include "schedule/timed_turns.hpp"
#include "score/missed.hpp"
#include "score/score.hpp"

namespace grader {

struct CaseOutcome {
  CaseRun run;
  CaseVerdict verdict;
  std::map<std::string, double> counters;  ///< virtual GPU only
  std::optional<SpeedSamples> speed;       ///< only for an accepted speed-up case
  std::map<std::string, Clue> clues;       ///< Evidence::clues
};

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
        cache_(cache) {}

  /// Never throws: a failure of the grader becomes the verdict grader_fault.
  CaseOutcome run(const std::string& name, const Built& built, const SourceText& source);

  /// nullopt: a timed case, or one that cannot be prepared. Never throws.
  std::optional<BatchCase> batch_case(const std::string& name);
  /// Runs untimed cases on a real GPU in one process, in this order, and returns the outcomes up to the
  /// first one that is not accepted. That one and the missing ones must be run on their own: what an earlier
  /// case left in the process could be the reason for their verdicts. Never throws.
  std::vector<CaseOutcome> run_batch(const std::vector<std::string>& names, const Built& built,
                                     const SourceText& source);

  /// On a real GPU: learns the baseline's pace on a timed case, unless it is known: from the cache, or else
  /// by a few calls in a process of its own. A failure adds nothing; the measurement is then repeated.
  void learn_pace(const PreparedCase& prepared);

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
  /// Returns the grader's or the machine's problem, if any. Those of the submission are recorded in
  /// `outcome`.
  std::optional<Diagnostic> run_timed_on_cuda(const PreparedCase& prepared, const Built& built,
                                              const SourceText& source, CaseOutcome& outcome);
  /// Makes one complete measurement and sets the outcome's run and verdict. The error is the baseline's.
  Expected<SpeedSamples, std::string> time_on_cuda(const PreparedCase& prepared, const Built& baseline,
                                                   const Built& built, const SourceText& source,
                                                   Effort effort, Host host, CaseOutcome& outcome);
  /// Sets the outcome's speed to the least disturbed of the attempts, of which there is one at least.
  std::optional<Diagnostic> take_calmest(const PreparedCase& prepared, const Built& baseline,
                                         std::span<SpeedSamples> attempts, CaseOutcome& outcome);
  /// Runs a case whose device fails on one where only launches fail: their errors are not sticky, so that a
  /// later check does not find them.
  void refuse_launches(const PreparedCase& prepared, const Built& built, const SourceText& source,
                       CaseOutcome& outcome);
  /// Runs the case again with other values in device memory, and rejects a submission whose host asks
  /// something else of the device. Before that, it runs it with the same values, to see what differs then.
  void compare_with_other_values(const PreparedCase& prepared, const Built& built, CaseOutcome& outcome);
  /// Whether the case's kernels read old contents of outputs, its results are right, and they are right again
  /// with other old contents (judge/unwritten_reads.hpp), for which the case is run again.
  bool is_independent_of_old_outputs(const PreparedCase& prepared, const Built& built, const CaseRun& run);
  /// Runs a case whose kernels use __activemask() again, with halves of the lanes apart. The result must be
  /// right again.
  void split_warps(const PreparedCase& prepared, const Built& built, const SourceText& source,
                   bool is_independent, CaseOutcome& outcome);
  /// Runs a case whose blocks or warps communicate again, in other orders (judge/block_order.hpp). The result
  /// must be right again.
  void change_order_of_blocks(const PreparedCase& prepared, const Built& built, const SourceText& source,
                              bool is_independent, CaseOutcome& outcome);
  /// Whether the case's launches end only if all their blocks run at the same time, which an ordinary launch
  /// does not promise: the outcome is then that of a device that holds one block at a time.
  bool needs_all_blocks(const PreparedCase& prepared, const Built& built, const SourceText& source,
                        CaseOutcome& outcome);
  /// Case::rotations. The first wrong result becomes the outcome of a run with the inputs of that call.
  void rotate_inputs(const PreparedCase& prepared, const Built& built, const SourceText& source,
                     CaseOutcome& outcome);
  /// If the checked call is wrong in the same way without the calls before it, they are no cause: the outcome
  /// becomes that of the call alone, whose messages do not mention them. Returns whether it did.
  bool judge_without_earlier_calls(const PreparedCase& prepared, const Built& built, const SourceText& source,
                                   CaseOutcome& outcome);
  /// Adds what wrong elements were computed from, for which the case is run again, if it is small. `job`:
  /// that of the outcome.
  void name_terms_of(const PreparedCase& prepared, const harness::Job& job, const Built& built,
                     CaseOutcome& outcome) const;
  /// Adds the counters of lab/change_counters.hpp, for which the case is run again. Returns the grader's own
  /// failure, if any: it must not count as a change.
  std::optional<std::string> add_changes(const PreparedCase& prepared, const Built& built,
                                         const CaseRun& right, std::map<std::string, double>& counters);
  /// Like learn_pace(), but always measures. Requires: pace_.learning() is locked.
  void measure_pace(const PreparedCase& prepared, const Built& baseline);
  /// Identifies a pace in the cache.
  std::string pace_key(const PreparedCase& prepared, const Built& baseline) const;
  /// The task whose speed-up is measured on this case; null if none is.
  const Task* timed_task(const std::string& case_name) const;

  const Lab& lab_;
  const Runner& runner_;
  CaseLibrary& cases_;
  TimedProgram& baseline_;
  vgpu::Profile profile_;
  const BuildCache* cache_;
  BaselinePace pace_;
};

}  // namespace grader
