#include "judge/measured_outputs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/elements.hpp"
#include "judge/host_problem.hpp"
#include "judge/word_runs.hpp"

namespace grader {
namespace {

using harness::Job;
using harness::OutputSpec;
using harness::Words;

bool is_calculated(const OutputSpec& output) {
  return output.place == harness::Place::host && !output.is_copied;
}

/// The results of an earlier call are not known, so an array may pass there, and what other functions fetch.
bool may_have_fetched(std::size_t words, const std::vector<OutputSpec>& outputs) {
  if (std::none_of(outputs.begin(), outputs.end(), is_calculated)) return true;
  return std::any_of(outputs.begin(), outputs.end(), [&](const OutputSpec& one) {
    return !is_calculated(one) && words >= element_count(one.shape);
  });
}

/// The elements of all inputs and of the checked call's results.
Words array_words(const CaseRun& run, const Job& job) {
  Words all;
  const auto add = [&](const std::vector<float>& values, harness::Element element) {
    const Words words = harness::encoded(values, element);
    all.insert(all.end(), words.begin(), words.end());
  };
  for (const harness::Input& one : job.inputs) add(one.values, one.element);
  for (const harness::EarlierCall& call : job.earlier)
    for (const harness::Input& one : call.inputs) add(one.values, one.element);
  for (std::size_t i = 0; i < job.outputs.size(); ++i)
    if (!is_calculated(job.outputs[i])) add(run.answer.outputs.at(i).values, job.outputs[i].element);
  return all;
}

/// Where the words of each call begin among those that the device sent, and the end. The last call is the
/// checked one.
std::vector<std::size_t> bounds_of_calls(const vgpu::cudart::SessionReport& session) {
  std::vector<std::size_t> bounds;
  for (const auto& call : session.calls) bounds.push_back(call.fetched_words);
  if (bounds.empty()) bounds.push_back(0);
  bounds.push_back(session.words.to_host.size());
  return bounds;
}

}  // namespace

std::optional<Diagnostic> diagnose_measured_outputs(const CaseRun& run, const Job& job) {
  const auto output = std::find_if(job.outputs.begin(), job.outputs.end(), is_calculated);
  if (output == job.outputs.end() || !harness::has_device_inputs(job) || run.session.words.to_host.empty())
    return std::nullopt;
  const IndexedWords arrays(array_words(run, job));
  const vgpu::cudart::TransferredWords& words = run.session.words;
  const auto is_measured = [&](std::size_t word) {
    // Of managed variables, which the runtime copies, what a kernel stored; of other copies, all.
    const bool can_be_measured = words.is_asked_for[word] || words.stored_by[word] != 0;
    return can_be_measured && !arrays.has(words.to_host[word]);
  };
  const std::vector<std::size_t> bounds = bounds_of_calls(run.session);
  std::size_t measured = 0;
  for (std::size_t call = 0; call + 1 < bounds.size(); ++call) {
    const std::size_t fetched = bounds[call + 1] - bounds[call];
    if (call < job.earlier.size() && may_have_fetched(fetched, job.earlier[call].outputs)) continue;
    for (std::size_t word = bounds[call]; word < bounds[call + 1]; ++word) measured += is_measured(word);
  }
  if (measured == 0) return std::nullopt;
  return host_problem(
      "WG-S27",
      fmt::format("the device sent the host {} value{} of no array, and `{}` must be calculated by the host",
                  measured, measured == 1 ? "" : "s", output->name),
      fmt::format("kernels measure what `{}` must contain, and the host copies it", output->name),
      "calculate it from the sizes, and copy nothing back from the device but arrays");
}

}  // namespace grader
