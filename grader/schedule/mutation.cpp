#include "schedule/mutation.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/files.hpp"
#include "schedule/case_runner.hpp"
#include "schedule/quoted_values.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader {
namespace {

bool has_lost_points(const Score& score) {
  return std::any_of(score.checks.begin(), score.checks.end(),
                     [](const Check& check) { return check.status == CheckStatus::fail; });
}

}  // namespace

class MutationRun::Impl {
 public:
  Impl(const Lab& lab, const Runner& runner)
      : lab_(without_needs(lab)),
        runner_(runner),
        cases_(lab_),
        baseline_(runner, nullptr, runner.paths().root / baseline_source(lab.workload), lab.sources.front()),
        case_runner_(lab_, runner, cases_, baseline_, vgpu::lecture_profile()),
        order_(next_cases(lab_, {})) {}

  Expected<Fate, std::string> fate_of(const std::string& text) {
    const TemporaryFolder folder("warpgrade-mutant");
    const std::filesystem::path file = folder.path() / lab_.sources.front();
    if (const auto written = write_file_atomically(file, text); !written) return Unexpected{written.error()};
    const auto built = runner_.build(file, lab_.sources.front(), &lab_.rules);
    if (stopped()) return Unexpected{std::string("it was stopped")};
    if (built) return fate_of(*built);
    if (built.error().kind != BuildFailure::Kind::grader_fault) return Fate::not_built;
    return Unexpected{built.error().diagnostics.front().what};
  }

 private:
  /// Names with the latest successes first. Thread-safe.
  class LatestFirst {
   public:
    explicit LatestFirst(std::vector<std::string> names) : names_(std::move(names)) {}

    std::vector<std::string> names() {
      const std::lock_guard lock(mutex_);
      return names_;
    }
    void succeeded(const std::string& name) {
      const std::lock_guard lock(mutex_);
      const auto found = std::find(names_.begin(), names_.end(), name);
      std::rotate(names_.begin(), found, found + 1);
    }

   private:
    std::mutex mutex_;
    std::vector<std::string> names_;
  };

  bool stopped() const { return runner_.options().stop != nullptr && *runner_.options().stop; }

  Expected<Fate, std::string> fate_of(const Built& built) {
    Evidence evidence;
    for (const std::string& name : order_.names()) {
      CaseOutcome outcome = case_runner_.run(name, built, {lab_.sources.front(), {}});
      if (stopped()) return Unexpected{std::string("it was stopped")};
      if (outcome.verdict.verdict == Verdict::grader_fault)
        return Unexpected{name + ": " + outcome.verdict.diagnostics.front().what};
      evidence.verdicts[name] = std::move(outcome.verdict);
      evidence.counters[name] = std::move(outcome.counters);
      if (outcome.speed) evidence.speed[name] = *std::move(outcome.speed);
      if (!has_lost_points(score(lab_, evidence))) continue;
      order_.succeeded(name);
      return Fate::killed;
    }
    return score(lab_, evidence).score < lab_.max_points() + lab_.bonus_points() ? Fate::killed
                                                                                 : Fate::survived;
  }

  const Lab lab_;
  const Runner& runner_;
  CaseLibrary cases_;
  TimedProgram baseline_;
  CaseRunner case_runner_;
  LatestFirst order_;
};

MutationRun::MutationRun(const Lab& lab, const Runner& runner) : impl_(std::make_unique<Impl>(lab, runner)) {}
MutationRun::~MutationRun() = default;

Expected<Fate, std::string> MutationRun::fate_of(const std::string& source) const {
  try {
    return impl_->fate_of(source);
  } catch (const std::exception& error) {
    return Unexpected{std::string(error.what())};
  }
}

}  // namespace grader
