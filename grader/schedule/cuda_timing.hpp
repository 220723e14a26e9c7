// Measures the speed of submissions on a real GPU, each next to the baseline. Thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "schedule/baseline_pace.hpp"
#include "schedule/build_cache.hpp"
#include "schedule/case_library.hpp"
#include "schedule/case_outcome.hpp"
#include "schedule/timed_program.hpp"
#include "schedule/timed_turns.hpp"

namespace grader {

class CudaTiming {
 public:
  /// All references must outlive the object. `cache` can be null; it keeps the baseline's pace on the GPU for
  /// later processes.
  CudaTiming(const Runner& runner, CaseLibrary& cases, TimedProgram& baseline, const BuildCache* cache)
      : runner_(runner), cases_(cases), baseline_(baseline), cache_(cache) {}

  /// Learns the baseline's pace on a timed case, unless it is known: from the cache, or else by a few calls
  /// in a process of its own. A failure adds nothing; the measurement is then repeated. `profile`: as in
  /// Runner::run.
  void learn_pace(const PreparedCase& prepared, const vgpu::Profile& profile);

  /// Returns the grader's or the machine's problem, if any. Those of the submission are recorded in
  /// `outcome`.
  std::optional<Diagnostic> run(const PreparedCase& prepared, const Speedup& wanted,
                                const vgpu::Profile& profile, const Built& built, const SourceText& source,
                                CaseOutcome& outcome);

 private:
  /// Makes one complete measurement and sets the outcome's run and verdict. The error is the baseline's.
  Expected<SpeedSamples, std::string> measure(const PreparedCase& prepared, const vgpu::Profile& profile,
                                              const Built& baseline, const Built& built,
                                              const SourceText& source, Effort effort, Host host,
                                              CaseOutcome& outcome);
  /// Sets the outcome's speed to the least disturbed of the attempts, of which there is one at least.
  std::optional<Diagnostic> take_calmest(const PreparedCase& prepared, const vgpu::Profile& profile,
                                         const Built& baseline, std::span<SpeedSamples> attempts,
                                         CaseOutcome& outcome);
  /// Like learn_pace(), but always measures. Requires: pace_.learning() is locked.
  void measure_pace(const PreparedCase& prepared, const vgpu::Profile& profile, const Built& baseline);
  /// Identifies a pace in the cache.
  std::string pace_key(const PreparedCase& prepared, const Built& baseline) const;

  const Runner& runner_;
  CaseLibrary& cases_;
  TimedProgram& baseline_;
  const BuildCache* cache_;
  BaselinePace pace_;
};

}  // namespace grader
