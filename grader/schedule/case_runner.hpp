// One case of one submission: run, judge, count, time. Thread safe.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "judge/judge.hpp"
#include "schedule/case_library.hpp"
#include "schedule/timed_program.hpp"
#include "score/score.hpp"

namespace grader {

struct CaseOutcome {
  CaseRun run;
  CaseVerdict verdict;
  std::map<std::string, double> counters;  ///< virtual GPU only
  std::optional<SpeedSamples> speed;       ///< of an accepted speed-up case
};

/// How fast the baseline was on a real GPU, measurement by measurement. One may be disturbed, so the pace is
/// known from the second on. Thread safe.
class BaselinePace {
 public:
  void add(const std::string& case_name, double seconds);
  std::optional<double> fastest_s(const std::string& case_name);  ///< nullopt when there was none
  bool is_known(const std::string& case_name);

 private:
  struct Seen {
    double fastest_s = 0;
    std::size_t count = 0;
  };

  std::mutex mutex_;
  std::map<std::string, Seen> seen_;
};

class CaseRunner {
 public:
  /// All references must outlive the case runner.
  CaseRunner(const Lab& lab, const Runner& runner, CaseLibrary& cases, TimedProgram& baseline,
             vgpu::Profile profile)
      : lab_(lab), runner_(runner), cases_(cases), baseline_(baseline), profile_(std::move(profile)) {}

  /// Never throws: a failure of the grader is a verdict grader_fault.
  CaseOutcome run(const std::string& name, const Built& built, const SourceText& source);

  /// What an accepted run on the virtual GPU is worth: ratios and samples from its named_counters(). Needs
  /// nothing else of the run. The error is the baseline's.
  std::optional<std::string> add_counts(const PreparedCase& prepared, std::map<std::string, double> counters,
                                        CaseOutcome& outcome);

  /// The device that the case runs on: its limits may be below the profile's.
  vgpu::Profile profile_of(const PreparedCase& prepared) const {
    return profile_for(*prepared.definition, profile_);
  }

 private:
  CaseOutcome run_prepared(const PreparedCase& prepared, const Built& built, const SourceText& source);
  /// The error is the baseline's; what is wrong with the submission is in the outcome.
  std::optional<std::string> run_timed_on_cuda(const PreparedCase& prepared, const Built& built,
                                               const SourceText& source, CaseOutcome& outcome);
  /// Once, from beginning to end; sets the outcome's run and verdict. The error is the baseline's.
  Expected<SpeedSamples, std::string> time_on_cuda(const PreparedCase& prepared, const Built& baseline,
                                                   const Built& built, const SourceText& source,
                                                   CaseOutcome& outcome);
  bool is_timed(const std::string& name) const;

  const Lab& lab_;
  const Runner& runner_;
  CaseLibrary& cases_;
  TimedProgram& baseline_;
  vgpu::Profile profile_;
  BaselinePace pace_;
};

}  // namespace grader
