#include "judge/failed_calls.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "judge/advice.hpp"
#include "judge/call_advice.hpp"
#include "judge/host_problem.hpp"
#include "judge/launch_configuration.hpp"
#include "judge/program.hpp"
#include "judge/refused_launch.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

constexpr int kErrorNotReady = 600;  // cudaErrorNotReady: for a query this is not a failure

Diagnostic failed_call(const vgpu::cudart::ApiFailure& failure) {
  const std::string detail = failure.detail.empty() ? "" : ": " + cleaned(failure.detail);
  const Advice advice = advice_on(failure);
  return host_problem(
      "WG-H08", fmt::format("{} failed with {}{}", cleaned(failure.call), error_name(failure.error), detail),
      advice.likely_cause, advice.next_step);
}

bool is_launch(const vgpu::cudart::ApiFailure& failure) { return failure.call.starts_with("cudaLaunch"); }

/// Only for calls in the student's file; the harness makes calls, too.
void locate_call(Diagnostic& problem, const vgpu::cudart::HostPlace& place, const SourceText& source) {
  if (place.file.substr(place.file.rfind('/') + 1) == source.name)
    locate(problem, place.file, place.line, source);
}

Diagnostic missing_call(const std::string& call) {
  return host_problem("WG-H10",
                      fmt::format("the virtual GPU does not support the runtime call {}", cleaned(call)),
                      "the code might be correct, but this device lacks the call",
                      "avoid the call, or use a real GPU with --device cuda");
}

Diagnostic harness_problem(const std::string& problem) {
  return host_problem("WG-H08", "a CUDA call after yours failed: " + cleaned(problem),
                      "a kernel failed while it ran; the next call reports it",
                      "run on the virtual GPU (--device virtual), which reports where");
}

}  // namespace

std::vector<Diagnostic> diagnose_calls(const CaseRun& run, const SourceText& source) {
  std::vector<Diagnostic> found;
  const auto& failures = run.session.failures;
  const auto& launches = run.session.launches;
  const auto launch = std::find_if(launches.begin(), launches.end(), is_refused);
  if (launch != launches.end()) {
    found.push_back(refused_launch(*launch, source));
    const auto call = std::find_if(failures.begin(), failures.end(), is_launch);
    if (call != failures.end()) locate_call(found.back(), call->place, source);
  }
  for (const std::string& name : run.session.unsupported) {
    found.push_back(missing_call(name));
    const auto call =
        std::find_if(failures.begin(), failures.end(), [&](const auto& one) { return one.call == name; });
    if (call != failures.end()) locate_call(found.back(), call->place, source);
  }
  if (!found.empty()) return found;  // other failures follow from these

  const auto failure = std::find_if(failures.begin(), failures.end(),
                                    [](const auto& one) { return one.error != kErrorNotReady; });
  if (failure != failures.end()) {
    found.push_back(failure->is_ignored ? ignored_failure(*failure) : failed_call(*failure));
    found.back().where.reset();  // a line of the harness does not help the student
    locate_call(found.back(), failure->place, source);
    advise_on_line(*failure, source, found.back());
  }
  if (found.empty() && !run.answer.problem.empty()) found.push_back(harness_problem(run.answer.problem));
  return found;
}

void advise_on_refusal(std::vector<Diagnostic>& calls, const CaseRun& run, const harness::Job& job,
                       const SourceText& source) {
  const auto& launches = run.session.launches;
  const auto refused = std::find_if(launches.begin(), launches.end(), is_refused);
  if (refused == launches.end() || calls.empty() || calls.front().code != "WG-H07") return;
  Diagnostic& problem = calls.front();
  const std::array exchanged{&*refused};
  if (auto mistake = exchanged_grid(source, exchanged, job.entry)) {
    advise(problem, *std::move(mistake));
  } else if (!job.needs_launch) {
    problem.likely_cause =
        "the device cannot launch this configuration, and the function does not return the launch's error: "
        "it ignores it, returns cudaSuccess, or ends the program";
    problem.next_step =
        "return cudaGetLastError() right after the launch: it is the launch's error, and resets it";
  } else if (!job.earlier.empty() && !is_refused(launches.back())) {
    problem.likely_cause =
        "this launch, in an earlier call, failed and its error was not reset: the next check, after a launch "
        "that succeeded, reports the old error";
    problem.next_step =
        "ask for each launch's error with cudaGetLastError(), which resets it; cudaPeekAtLastError() "
        "does not";
  } else if (run.end == CaseRun::End::finished && launches.size() <= job.earlier.size()) {
    problem.likely_cause =
        "this launch, in an earlier call, failed, and calls after it launch nothing: the error, or a "
        "variable that depends on it, is kept from call to call";
    problem.next_step = "let every call launch the kernel, and use the error of this launch only";
  }
}

std::optional<Diagnostic> diagnose_left_error(const CaseRun& run, const harness::Job& job,
                                              const SourceText& source) {
  const std::string found_by_harness = "a launch in " + job.entry + ": ";  // harness/calls.cpp
  if (job.needs_launch || !run.answer.problem.starts_with(found_by_harness)) return std::nullopt;
  Diagnostic problem =
      host_problem("WG-H07", fmt::format("`{}` returns without resetting the error of its launch", job.entry),
                   "the function does not ask for the error, asks before the launch, or asks with "
                   "cudaPeekAtLastError, which does not reset it: the caller's next check then reports it "
                   "for a call that succeeded",
                   "call cudaGetLastError() right after the launch: it returns the error and resets it");
  problem.first = cleaned(run.answer.problem.substr(found_by_harness.size()));
  const auto& launches = run.session.launches;
  const auto launch = std::find_if(launches.begin(), launches.end(), is_refused);
  if (launch != launches.end())
    problem.what += fmt::format(": `{}` could not be launched: {}", kernel_name(launch->kernel),
                                cleaned(launch->error_detail));
  const auto& failures = run.session.failures;
  const auto call = std::find_if(failures.begin(), failures.end(), is_launch);
  if (call != failures.end()) locate_call(problem, call->place, source);
  return problem;
}

}  // namespace grader
