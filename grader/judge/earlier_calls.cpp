#include "judge/earlier_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/patterns.hpp"

namespace grader {
namespace {

/// "n = 5003": the parameters that differ from those of the checked call.
std::string other_sizes(const harness::EarlierCall& call, const harness::Job& job) {
  std::vector<std::string> different;
  for (const auto& [name, value] : call.scalars)
    if (job.scalars.at(name) != value) different.push_back(fmt::format("{} = {}", name, value));
  return fmt::format("{}", fmt::join(different, ", "));
}

/// "`saxpy` with n = 1, with n = 5003 and with this case's sizes in other arrays or with other values"
std::string earlier_calls_of(const harness::Job& job) {
  std::vector<std::string> sizes;
  for (const harness::EarlierCall& one : job.earlier) {
    if (!one.entry.empty())
      return fmt::format("`{}` with equal values in other arrays, then `{}` with other values", job.entry,
                         one.entry);
    std::string different = other_sizes(one, job);
    if (!different.empty() && std::find(sizes.begin(), sizes.end(), different) == sizes.end())
      sizes.push_back(std::move(different));
  }
  constexpr std::size_t kMost = 2;
  if (sizes.size() > kMost) {
    sizes.resize(kMost);
    sizes.push_back("other sizes");
  }
  std::string calls;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    calls += fmt::format("{}with {}", i == 0 ? "" : ", ", sizes[i]);
  if (!calls.empty()) calls += " and ";
  return fmt::format("`{}` several times, {}with this case's sizes in other arrays or with other values",
                     job.entry, calls);
}

bool is_other_order(std::vector<float> values, std::vector<float> of_job) {
  std::sort(values.begin(), values.end());
  std::sort(of_job.begin(), of_job.end());
  return values == of_job;
}

/// "other values of `weights` only": what the call's inputs have, if its sizes are those of the job.
std::string other_inputs(const harness::EarlierCall& call, const harness::Job& job) {
  std::vector<std::size_t> different;
  for (std::size_t i = 0; i < job.inputs.size(); ++i)
    if (call.inputs[i].values != job.inputs[i].values) different.push_back(i);
  if (different.size() != 1) return "other values";
  const harness::Input& one = job.inputs[different.front()];
  if (is_other_order(call.inputs[different.front()].values, one.values))
    return fmt::format("the values of `{}` in another order", one.name);
  return job.inputs.size() == 1 ? "other values" : fmt::format("other values of `{}` only", one.name);
}

/// "; the call before it had n = 1"
std::string call_before(const harness::Job& job, std::size_t index) {
  if (index == 0) return "";
  const harness::EarlierCall& before = job.earlier[index - 1];
  const std::string sizes = other_sizes(before, job);
  return fmt::format("; the call before it had {}",
                     sizes.empty() ? "the same sizes and " + other_inputs(before, job) : sizes);
}

/// `index`: of the call among all earlier calls.
std::vector<Diagnostic> diagnose_call(const harness::Job& job, std::size_t index,
                                      const harness::CallOutputs& call,
                                      const std::vector<Expectation>& expected) {
  std::vector<Diagnostic> found;
  for (std::size_t i = 0; i < std::min(expected.size(), call.outputs.size()); ++i) {
    const OutputPair output{.actual = call.outputs[i],
                            .expected = expected[i],
                            .supply = std::nullopt,
                            .place = job.outputs[i].place,
                            .element = job.outputs[i].element};
    auto problem = diagnose_values(output, {});
    if (!problem) continue;
    problem->what += ", in an earlier call with the values of the last call, which is right";
    problem->first += call_before(job, index);
    blame_call_before(*problem);
    found.push_back(*std::move(problem));
  }
  return found;
}

/// The launches between the start of the call and that of the next one, or the end of the session.
std::uint64_t launches_of_call(const vgpu::cudart::SessionReport& session, std::size_t call) {
  const std::uint64_t end = call + 1 < session.calls.size()
                                ? session.calls[call + 1].launches
                                : session.launches.size() + session.launches_dropped;
  return end - session.calls[call].launches;
}

}  // namespace

void blame_call_before(Diagnostic& one) {
  one.likely_cause =
      "the function keeps something from the call before (static, global, __device__): a size, a number of "
      "blocks, a buffer or a result; or it asks for an error before its own launch";
  one.next_step =
      "compute sizes and grids from the arguments in each call, use no result of another call, and ask for "
      "errors after the launch";
}

std::optional<Diagnostic> diagnose_kept_result(const harness::Job& job,
                                               const vgpu::cudart::SessionReport& session) {
  if (!job.needs_launch) return std::nullopt;
  for (std::size_t i = 0; i < session.calls.size(); ++i) {
    const bool is_checked = i == job.earlier.size() || harness::has_checked_results(job.earlier[i]);
    if (!is_checked || launches_of_call(session, i) > 0) continue;
    Diagnostic problem;
    problem.code = "WG-H12";
    problem.what =
        fmt::format("`{}` launches no kernel in its call {} of {}", job.entry, i + 1, session.calls.size());
    problem.likely_cause = "it returns a result that it has kept from an earlier call";
    problem.next_step = "compute the result from the arguments in each call, whatever earlier calls had";
    return problem;
  }
  return std::nullopt;
}

std::vector<Diagnostic> diagnose_earlier_outputs(const harness::Job& job, const CaseRun& run,
                                                 const std::vector<Expectation>& expected) {
  auto outputs = run.answer.earlier.begin();
  for (std::size_t i = 0; i < job.earlier.size() && outputs != run.answer.earlier.end(); ++i) {
    if (!harness::has_checked_results(job.earlier[i])) continue;
    if (auto found = diagnose_call(job, i, *outputs++, expected); !found.empty()) return found;
  }
  return {};
}

void mention_earlier_calls(const harness::Job& job, Diagnostic& one) {
  if (one.severity != Severity::error) return;
  one.first += fmt::format("{}the case first calls {}", one.first.empty() ? "" : "; ", earlier_calls_of(job));
  const bool can_follow = one.code.starts_with("WG-V") || one.code == "WG-M01" || one.code == "WG-M02";
  const bool says_so_already = one.likely_cause.find("keeps") != std::string::npos;
  if (can_follow && !says_so_already)
    one.likely_cause += "; or the function keeps a size, a buffer or a result from an earlier call";
}

}  // namespace grader
