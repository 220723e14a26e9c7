// One of the devices of a grading: builds submissions for it and runs their cases there. Shared by all
// submissions of a lab. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedule/build_cache.hpp"
#include "schedule/case_runner.hpp"
#include "schedule/grading_observer.hpp"
#include "schedule/timed_program.hpp"

namespace grader {

class DeviceRuns {
 public:
  struct Options {
    vgpu::Profile profile;
    unsigned case_threads = 1;  ///< cases of one submission at the same time; on a real GPU, at most 6
    const BuildCache* cache = nullptr;  ///< not owned
    bool lets_others_first = false;  ///< runs with a lower priority: another device measures times meanwhile
  };

  /// The lab's speed-ups are timed. All references must outlive the object.
  DeviceRuns(const Lab& lab, const Runner& runner, CaseLibrary& cases, Options options);

  const Lab& lab() const { return lab_; }
  DeviceKind device() const { return runner_.options().device; }
  bool stopped() const { return runner_.options().stop != nullptr && *runner_.options().stop; }

  /// Builds and times the baseline in advance; only builds it for a real GPU.
  void prepare();

  /// Writes the bytes to a private file, so that the built bytes are the given ones; the student's file is
  /// not opened again.
  Expected<Built, BuildFailure> build(const std::string& bytes) const;

  /// A RoundAhead. On a real GPU, cases `ahead` only run in processes that cases share, and only an accepted
  /// outcome is returned: more would cost seconds.
  std::optional<std::vector<std::optional<CaseOutcome>>> run(const std::vector<std::string>& due,
                                                             const std::vector<std::string>& ahead,
                                                             const Built& built, const SourceText& source,
                                                             SerialObserver& observer);

  CaseRunner& case_runner() { return case_runner_; }

 private:
  /// The accepted outcomes of cases that can share a process; nullopt for all others. On a real GPU only.
  std::vector<std::optional<CaseOutcome>> run_batches(const std::vector<std::string>& names, unsigned threads,
                                                      const Built& built, const SourceText& source,
                                                      SerialObserver& observer);
  std::size_t input_elements(const std::string& name);  ///< of all calls
  /// Indices of `names`. First the first one, because a program that hangs there is likely to hang in all;
  /// then large cases, so that none of them runs alone at the end.
  std::vector<std::size_t> starting_order(const std::vector<std::string>& names);

  const Lab& lab_;
  const Runner& runner_;
  CaseLibrary& cases_;
  const Options options_;
  TimedProgram baseline_;
  CaseRunner case_runner_;
};

}  // namespace grader
