// A case on the virtual GPU, run again in other ways: a result that is right with one order of blocks, one
// set of values or one device only is not right. What they find becomes the outcome's verdict.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "runner/runner.hpp"
#include "schedule/case_library.hpp"
#include "schedule/case_outcome.hpp"

namespace grader {

/// Of one case and one submission. Not thread-safe. A failure of the grader becomes the verdict grader_fault.
class RepeatedRuns {
 public:
  /// All references must outlive the object. `profile`: of the device that the case runs on.
  RepeatedRuns(const Lab& lab, const Runner& runner, CaseLibrary& cases, const vgpu::Profile& profile,
               const PreparedCase& prepared, const Built& built, const SourceText& source)
      : lab_(lab),
        runner_(runner),
        cases_(cases),
        profile_(profile),
        prepared_(prepared),
        built_(built),
        source_(source) {}

  /// The case as it is.
  CaseRun run() const { return again({}); }

  /// Kernels may read old contents of outputs if the results are right, and right again with other old
  /// contents (judge/unwritten_reads.hpp): then no run of the case has findings about them. Comes first.
  void excuse_reads_of_old_outputs(CaseRun& run);

  // Each of these requires an accepted outcome, and leaves it so or takes it back.

  /// On devices where only launches fail, only allocations, only copies to the host: these errors are not
  /// sticky, so that a later check does not find them.
  void refuse_requests(CaseOutcome& outcome) const;
  /// With other values in device memory: a submission whose host asks something else of the device then is
  /// rejected.
  void compare_with_other_values(CaseOutcome& outcome) const;
  /// If kernels use __activemask(): with halves of the lanes apart.
  void split_warps(CaseOutcome& outcome) const;
  /// If blocks or warps communicate: in other orders (judge/block_order.hpp).
  void change_order_of_blocks(CaseOutcome& outcome) const;
  /// Case::rotations. The first wrong result becomes the outcome of a run with the inputs of that call.
  void rotate_inputs(CaseOutcome& outcome) const;

  /// If the checked call is wrong in the same way without the calls before it, they are no cause: the outcome
  /// becomes that of the call alone, whose messages do not mention them. Returns whether it did.
  bool judge_without_earlier_calls(CaseOutcome& outcome) const;
  /// Adds what wrong elements were computed from, if the case is small. `is_alone`: the outcome is that of
  /// the checked call without the calls before it.
  void name_terms(bool is_alone, CaseOutcome& outcome) const;

  /// Adds the counters of lab/change_counters.hpp. `right`: an accepted run. Returns the grader's own
  /// failure, if any: it must not count as a change.
  std::optional<std::string> add_changes(const CaseRun& right, std::map<std::string, double>& counters) const;

 private:
  CaseRun again(const vgpu::Experiment& experiment) const {
    return runner_.run(built_, prepared_.job, profile_, vgpu::Checks::all(), experiment);
  }
  /// The verdict about a run that is no longer the first one, so no pattern of the first one's mistakes is
  /// looked for.
  CaseVerdict judge_again(const CaseRun& run) const;
  void drop_excused_reads(CaseRun& run) const;
  /// Whether the case's launches end only if all their blocks run at the same time, which an ordinary launch
  /// does not promise: the outcome is then that of a device that holds one block at a time.
  bool needs_all_blocks(CaseOutcome& outcome) const;
  void name_terms_of(const harness::Job& job, CaseOutcome& outcome) const;

  const Lab& lab_;
  const Runner& runner_;
  CaseLibrary& cases_;
  const vgpu::Profile& profile_;
  const PreparedCase& prepared_;
  const Built& built_;
  const SourceText& source_;
  bool ignores_old_outputs_ = false;
};

}  // namespace grader
