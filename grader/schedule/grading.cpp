#include "schedule/grading.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/utc.hpp"
#include "judge/slips.hpp"
#include "judge/wording.hpp"
#include "lab/facts.hpp"
#include "schedule/device_runs.hpp"
#include "schedule/look_ahead.hpp"
#include "schedule/rounds.hpp"
#include "schedule/run_diagnostics.hpp"
#include "schedule/stored_facts.hpp"
#include "score/both_devices.hpp"

namespace grader {
namespace {

SourceText source_text(const std::string& name, const std::string& bytes) {
  SourceText text{name, {}};
  std::istringstream lines(bytes);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    text.lines.push_back(std::move(line));
  }
  return text;
}

Evidence without_run(Verdict verdict, std::vector<Diagnostic> reasons, Devices devices) {
  Evidence evidence;
  evidence.devices = devices;
  evidence.build_verdict = verdict;
  evidence.build_diagnostics = std::move(reasons);
  return evidence;
}

/// The compiler's messages, with the source lines that they refer to, and the slip that explains the first.
std::vector<Diagnostic> with_lines(std::vector<Diagnostic> reasons, const SourceText& source) {
  name_compile_slips(reasons, source);
  for (Diagnostic& reason : reasons)
    if (const auto where = reason.where; where && where->line > 0)
      locate(reason, where->file, static_cast<std::uint32_t>(where->line), source);
  return reasons;
}

Verdict verdict_of(BuildFailure::Kind kind) {
  switch (kind) {
    case BuildFailure::Kind::compile_error:
      return Verdict::compile_error;
    case BuildFailure::Kind::compile_limit:
      return Verdict::compile_limit;
    case BuildFailure::Kind::rejected:
      return Verdict::rejected;
    case BuildFailure::Kind::grader_fault:
      break;
  }
  return Verdict::grader_fault;
}

std::optional<std::uint64_t> shown_seed(const Case& one) {
  return one.has_secret_seed ? std::nullopt : std::optional(one.seed);
}

InputRecord input_record(const PreparedCase& prepared) {
  return {shown_seed(*prepared.definition), prepared.inputs_sha256, facts_sha256(*prepared.definition)};
}

/// True if a task checks this case's values, not only its objectives or its speed-up.
bool is_checked_itself(const Lab& lab, const std::string& case_name) {
  return std::any_of(lab.tasks.begin(), lab.tasks.end(), [&](const Task& task) {
    return std::find(task.cases.begin(), task.cases.end(), case_name) != task.cases.end();
  });
}

/// The lab for the virtual GPU next to a real one, which measures the speed-ups. Their virtual cases are run
/// like all others.
Lab without_speedups(Lab lab) {
  for (Task& task : lab.tasks) task.speedup.reset();
  return lab;
}

}  // namespace

class Grading::Impl {
 public:
  Impl(Lab lab, Runners runners, GradingOptions options)
      : lab_(std::move(lab)),
        untimed_lab_(without_speedups(lab_)),
        devices_(runners.devices()),
        runner_(runners.on_cuda != nullptr ? *runners.on_cuda : *runners.on_virtual),
        options_(std::move(options)),
        cases_(lab_),
        rubric_sha256_(rubric_sha256(lab_)) {
    if (runners.on_virtual != nullptr) add_device(*runners.on_virtual);
    if (runners.on_cuda != nullptr) add_device(*runners.on_cuda);
    if (options_.reference && devices_ == Devices::virtual_gpu)
      reference_ =
          std::make_unique<TimedProgram>(runner_, options_.cache, *options_.reference, lab_.sources.front());
  }

  const Lab& lab() const { return lab_; }
  Provenance provenance() const { return new_result("").provenance; }

  void grade(const std::vector<std::string>& submissions, const std::filesystem::path& path,
             const GradingObserver& observer, const std::function<void(std::size_t, Result)>& sink) {
    SerialObserver reporter(observer);
    Result result = new_result(submissions.front());
    const std::string& name = lab_.sources.front();
    const auto bytes = read_file(path, kMaxSourceBytes);
    if (!bytes) {
      const auto refused = without_run(Verdict::rejected, {unusable_source(name, bytes.error())}, devices_);
      return pass_on(finished(std::move(result), refused), submissions, 0, submissions.size(), sink);
    }
    result.provenance.source_sha256 = sha256_hex(*bytes);

    reporter.stage("building " + name);
    const std::vector<Program> programs = build(*bytes);
    // If all runs give the same result, one run is enough.
    const bool varies = devices_ != Devices::virtual_gpu && !has_failed(programs);
    const std::size_t served = varies ? 1 : submissions.size();
    const SourceText source = source_text(name, *bytes);
    for (std::size_t i = 0; i < submissions.size() && !stopped(); i += served) {
      const auto evidence =
          has_failed(programs) ? not_built(programs, source) : run_cases(programs, source, reporter);
      if (evidence && !stopped()) pass_on(finished(result, *evidence), submissions, i, i + served, sink);
      result.provenance.started = utc_now();
    }
  }

  static void pass_on(Result result, const std::vector<std::string>& submissions, std::size_t begin,
                      std::size_t end, const std::function<void(std::size_t, Result)>& sink) {
    for (std::size_t i = begin; i < end; ++i) {
      result.submission = submissions[i];
      sink(i, result);
    }
  }

  Result without_grade(const std::string& submission, Verdict verdict, Diagnostic reason) {
    return finished(new_result(submission), without_run(verdict, {std::move(reason)}, devices_));
  }

  std::optional<Result> rescore(const Result& stored) {
    const Provenance now = provenance();
    if (devices_ != Devices::virtual_gpu || stored.score.status == ResultStatus::grader_fault ||
        !same_facts(stored.provenance, now))
      return std::nullopt;
    auto evidence = evidence_of(stored);
    if (!evidence || stopped()) return std::nullopt;
    evidence->inexact = stored.score.inexact;
    Result result{stored.submission, lab_.id, {}, stored.provenance};
    result.provenance.rubric_sha256 = now.rubric_sha256;
    result.provenance.inputs.clear();
    return finished(std::move(result), *evidence);
  }

  void prepare() {
    for (const auto& one : runs_) one->prepare();
  }

 private:
  /// A submission's program on one device, or why there is none.
  using Program = Expected<Built, BuildFailure>;

  void add_device(const Runner& runner) {
    const bool is_second = devices_ == Devices::both && runner.options().device == DeviceKind::virtual_gpu;
    runs_.push_back(std::make_unique<DeviceRuns>(
        is_second ? untimed_lab_ : lab_, runner, cases_,
        DeviceRuns::Options{options_.profile, options_.case_threads, options_.cache, is_second}));
  }

  bool stopped() const { return runs_.front()->stopped(); }

  Result new_result(const std::string& submission) const {
    Result result{submission, lab_.id, {}, {}};
    Provenance& how = result.provenance;
    how.grader_version = options_.grader_version;
    how.seed_file = options_.seed_file;
    how.rubric_sha256 = rubric_sha256_;
    how.facts_sha256 = facts_sha256(lab_);
    how.front_end = std::string(to_string(runner_.front_end().kind));
    how.compiler = runner_.front_end().version;
    how.device = std::string(to_string(devices_));
    if (const auto gpu = runner_.cuda_device())
      (devices_ == Devices::both ? how.gpu : how.profile) = gpu->name;
    if (includes(devices_, DeviceKind::virtual_gpu)) {
      how.profile = options_.profile.name;
      how.clock_hz = options_.profile.clock_hz;
    }
    how.time_limit_s = std::chrono::duration<double>(runner_.options().run_limits.wall).count();
    how.sandbox = runner_.sandbox().kind().name;
    how.started = utc_now();
    return result;
  }

  Result finished(Result result, const Evidence& evidence) {
    result.score = score(lab_, evidence);
    for (const auto& [name, verdict] : evidence.verdicts)
      if (const auto& prepared = cases_.prepare(name))
        result.provenance.inputs[name] = input_record(*prepared);
    result.provenance.hung_case = evidence.hung_case;
    if (reference_ && !add_reference(result.score))
      result.score =
          score(lab_, without_run(Verdict::grader_fault, {grader_failure("it was interrupted")}, devices_));
    result.provenance.finished = utc_now();
    return result;
  }

  /// Adds the reference solution's times. If the solution itself fails, it has no time in any result. False:
  /// it has no time because grading was stopped, so this result must be discarded.
  bool add_reference(Score& graded) {
    for (Performance& one : graded.performance) {
      const auto& prepared = cases_.prepare(one.case_name);
      if (!prepared) continue;
      const auto ask = [&]() -> const auto& {
        return reference_->seconds(*prepared, case_runner().profile_of(*prepared));
      };
      for (std::size_t attempt = 0; attempt < kMakeAttempts && !one.reference_s; ++attempt) {
        if (const auto& seconds = ask())
          one.reference_s = *seconds;
        else if (stopped())
          return false;
      }
    }
    return true;
  }

  /// In the order of runs_, at the same time.
  std::vector<Program> build(const std::string& bytes) const {
    std::vector<std::future<Program>> builds;
    for (const auto& one : runs_)
      builds.push_back(std::async(std::launch::async, [&] { return one->build(bytes); }));
    std::vector<Program> programs;
    for (auto& one : builds) programs.push_back(one.get());
    return programs;
  }

  static bool has_failed(const std::vector<Program>& programs) {
    return std::any_of(programs.begin(), programs.end(), [](const Program& one) { return !one; });
  }

  /// Requires: has_failed(programs).
  std::optional<Evidence> not_built(const std::vector<Program>& programs, const SourceText& source) const {
    std::vector<Evidence> each;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      each.emplace_back().devices = devices_of(runs_[i]->device());
      if (programs[i]) continue;
      const BuildFailure& failure = programs[i].error();
      each.back().build_verdict = verdict_of(failure.kind);
      each.back().build_diagnostics = with_lines(failure.diagnostics, source);
    }
    return devices_ == Devices::both ? merge_devices(lab_, each.front(), each.back()) : each.front();
  }

  /// Requires: !has_failed(programs). nullopt: stopped.
  std::optional<Evidence> run_cases(const std::vector<Program>& programs, const SourceText& source,
                                    SerialObserver& reporter) {
    const auto round = [&](std::size_t i) -> Round {
      RoundAhead run = [&, i](const auto& due, const auto& ahead) {
        return runs_[i]->run(due, ahead, *programs[i], source, reporter);
      };
      const Lab& lab = runs_[i]->lab();
      const DeviceKind device = runs_[i]->device();
      if (includes(devices_, DeviceKind::cuda))
        return looking_ahead(lab, device, Reach::everything, std::move(run));
      // With one thread, a round costs nothing.
      return options_.case_threads > 1 ? looking_ahead(lab, device, Reach::twice_as_far, std::move(run))
                                       : only_due(std::move(run));
    };
    return devices_ == Devices::both ? collect_evidence(lab_, round(0), round(1))
                                     : collect_evidence(lab_, runs_.front()->device(), round(0));
  }

  /// The evidence that another run of the submission would give, from the result of an earlier run; nullopt:
  /// that result does not contain all of it.
  std::optional<Evidence> evidence_of(const Result& stored) {
    if (const Check* failure = build_failure(stored))
      return without_run(*failure->verdict, failure->diagnostics, devices_);
    return collect_evidence(lab_, DeviceKind::virtual_gpu,
                            [&](const auto& names) -> std::optional<std::vector<CaseOutcome>> {
                              std::vector<CaseOutcome> outcomes(names.size());
                              for (std::size_t i = 0; i < names.size(); ++i) {
                                auto outcome = outcome_of(stored, names[i]);
                                if (!outcome) return std::nullopt;
                                outcomes[i] = *std::move(outcome);
                                if (hung(outcomes[i].run)) break;
                              }
                              return outcomes;
                            });
  }

  std::optional<CaseOutcome> outcome_of(const Result& stored, const std::string& name) {
    auto known = stored_case(stored, name);
    const auto& prepared = cases_.prepare(name);
    if (!known || !prepared || stored.provenance.inputs.at(name) != input_record(*prepared))
      return std::nullopt;
    if (!known->has_warnings && is_checked_itself(lab_, name)) return std::nullopt;
    if (known->verdict.verdict == Verdict::accepted && !keep_change_counters(lab_, *known))
      return std::nullopt;
    CaseOutcome outcome;
    outcome.run.end = known->is_hung ? CaseRun::End::wall_limit : CaseRun::End::finished;
    outcome.verdict = std::move(known->verdict);
    if (outcome.verdict.verdict != Verdict::accepted) return outcome;
    if (case_runner().add_counts(*prepared, std::move(known->counters), outcome)) return std::nullopt;
    for (const Missed& one : case_runner().missed(*prepared, outcome)) {
      auto clue = stored_clue(stored, one);
      if (!clue) return std::nullopt;
      outcome.clues[one.check] = *std::move(clue);
    }
    return outcome;
  }

  /// Of the only device.
  CaseRunner& case_runner() { return runs_.front()->case_runner(); }

  const Lab lab_, untimed_lab_;
  const Devices devices_;
  const Runner& runner_;  ///< of the device whose times count
  const GradingOptions options_;
  CaseLibrary cases_;
  std::vector<std::unique_ptr<DeviceRuns>> runs_;  ///< the virtual GPU first
  std::unique_ptr<TimedProgram> reference_;        ///< on the virtual GPU alone
  const std::string rubric_sha256_;
};

Runners only(const Runner& runner) {
  return runner.options().device == DeviceKind::cuda ? Runners{nullptr, &runner} : Runners{&runner, nullptr};
}

Grading::Grading(Lab lab, Runners runners, GradingOptions options)
    : impl_(std::make_unique<Impl>(std::move(lab), runners, std::move(options))) {}
Grading::~Grading() = default;

std::optional<Result> Grading::grade(const std::string& submission, const std::filesystem::path& source,
                                     const GradingObserver& observer) const {
  std::optional<Result> graded;
  try {
    impl_->grade({submission}, source, observer,
                 [&](std::size_t, Result result) { graded = std::move(result); });
    return graded;
  } catch (const std::exception& error) {
    return without_grade(submission, Verdict::grader_fault, grader_failure(error.what()));
  }
}

void Grading::grade_same(const std::vector<std::string>& submissions, const std::filesystem::path& source,
                         const std::function<void(std::size_t which, Result)>& sink) const {
  std::size_t passed_on = 0;
  const auto count = [&](std::size_t which, Result result) {
    passed_on = which + 1;
    sink(which, std::move(result));
  };
  try {
    impl_->grade(submissions, source, {}, count);
  } catch (const std::exception& error) {
    for (std::size_t i = passed_on; i < submissions.size(); ++i)
      sink(i, without_grade(submissions[i], Verdict::grader_fault, grader_failure(error.what())));
  }
}

Result Grading::without_grade(const std::string& submission, Verdict verdict, Diagnostic reason) const {
  return impl_->without_grade(submission, verdict, std::move(reason));
}

std::optional<Result> Grading::rescore(const Result& stored) const {
  try {
    return impl_->rescore(stored);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void Grading::prepare() const { impl_->prepare(); }

Provenance Grading::provenance() const { return impl_->provenance(); }

const Lab& Grading::lab() const { return impl_->lab(); }

std::string rubric_sha256(const Lab& lab) {
  const auto rubric = read_file(lab.folder / "lab.json", kMaxSourceBytes);
  return rubric ? sha256_hex(*rubric) : "";
}

namespace {

Task task_of_case(const std::string& case_name) {
  Task task;
  task.id = "case";
  task.title = case_name;
  task.cases = {case_name};
  return task;
}

/// The task with the check <task>/<name> alone; without any check if there is none of this name.
Task task_of_check(Task task, const std::string& name) {
  task.needs.clear();
  task.is_bonus = false;  // what is asked for by name has to pass
  std::erase_if(task.cases, [&](const std::string& one) { return one != name; });
  std::erase_if(task.objectives,
                [&](const Objective& one) { return one.counter + "@" + one.case_name != name; });
  if (task.speedup && task.speedup->virtual_case != name && task.speedup->cuda_case != name)
    task.speedup.reset();
  return task;
}

}  // namespace

std::optional<Lab> only_check(const Lab& lab, const std::string& name) {
  const std::size_t slash = std::min(name.find('/'), name.size());
  const Task* of = lab.find_task(name.substr(0, slash));
  Task task;
  if (lab.find_case(name) != nullptr)
    task = task_of_case(name);
  else if (of != nullptr && slash < name.size())
    task = task_of_check(*of, name.substr(slash + 1));
  if (task.cases.empty() && task.objectives.empty() && !task.speedup) return std::nullopt;
  Lab reduced = lab;
  reduced.tasks = {std::move(task)};
  return reduced;
}

Lab only_task(const Lab& lab, const std::string& task_id) {
  std::set<std::string> wanted = {task_id};
  for (auto task = lab.tasks.rbegin(); task != lab.tasks.rend();
       ++task)  // tasks come after the tasks that they need
    if (wanted.contains(task->id)) wanted.insert(task->needs.begin(), task->needs.end());
  Lab reduced = lab;
  std::erase_if(reduced.tasks, [&](const Task& task) { return !wanted.contains(task.id); });
  for (Task& task : reduced.tasks) task.is_bonus = false;  // what is asked for by name has to pass
  return reduced;
}

}  // namespace grader
