#include "schedule/timed_program.hpp"

#include "schedule/kit_source.hpp"
#include "vgpu/model/timeline.hpp"

namespace grader {

TimedProgram::TimedProgram(const Runner& runner, const BuildCache* cache, std::filesystem::path source,
                           std::string name)
    : runner_(runner), cache_(cache), source_(std::move(source)), name_(std::move(name)) {}

const Expected<Built, std::string>& TimedProgram::built() {
  return built_.get([&]() -> Expected<Built, std::string> {
    const KitSource source(source_);
    auto result = cache_ != nullptr ? cache_->build(runner_, source.path(), name_, nullptr)
                                    : runner_.build(source.path(), name_);
    if (result) return *std::move(result);
    const auto& reasons = result.error().diagnostics;
    return Unexpected{source_.filename().string() + " of the kit does not build: " +
                      (reasons.empty() ? "no reason given" : reasons.front().what)};
  });
}

const Expected<double, std::string>& TimedProgram::seconds(const PreparedCase& prepared,
                                                           const vgpu::Profile& profile) {
  std::unique_lock lock(mutex_);
  auto& entry = seconds_[prepared.definition->name];  // map nodes stay where they are
  lock.unlock();
  return entry.get([&] { return measure(prepared, profile); });
}

Expected<double, std::string> TimedProgram::measure(const PreparedCase& prepared,
                                                    const vgpu::Profile& profile) {
  const auto& program = built();
  if (!program) return Unexpected{program.error()};
  const CaseRun run = runner_.run(*program, prepared.job, profile);
  if (const std::string why = failure_of(run); !why.empty())
    return Unexpected{source_.filename().string() + " of the kit fails on " + prepared.definition->name +
                      ": " + why};
  return seconds_of(run, prepared.workload->time_measure());
}

double seconds_of(const CaseRun& run, TimeMeasure measure) {
  return measure == TimeMeasure::call ? vgpu::span_s(run.session.timeline) : run.seconds;
}

std::string failure_of(const CaseRun& run) {
  if (run.end == CaseRun::End::stopped) return "it was stopped";
  if (!run.fault.empty()) return run.fault;
  if (run.end != CaseRun::End::finished) return "it did not finish";
  return run.answer.problem;
}

}  // namespace grader
