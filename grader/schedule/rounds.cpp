#include "schedule/rounds.hpp"

#include <future>
#include <map>

#include "judge/contradicted.hpp"
#include "score/both_devices.hpp"

namespace grader {
namespace {

using Names = std::vector<std::string>;

void add_inexact(const vgpu::cudart::SessionReport& session, Evidence& evidence) {
  if (!is_analysed(session)) return;
  if (!evidence.inexact) evidence.inexact.emplace();
  add_inexact_kernels(session, *evidence.inexact);
}

/// Adds the outcomes up to the first case that hung.
void add_outcomes(const Names& names, std::vector<CaseOutcome> outcomes, Evidence& evidence) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    CaseOutcome& outcome = outcomes.at(i);
    evidence.verdicts[names[i]] = std::move(outcome.verdict);
    if (!outcome.counters.empty()) evidence.counters[names[i]] = std::move(outcome.counters);
    if (outcome.speed) evidence.speed[names[i]] = *std::move(outcome.speed);
    evidence.clues.merge(outcome.clues);
    add_inexact(outcome.run.session, evidence);
    if (!hung(outcome.run)) continue;
    evidence.hung_case = names[i];
    return;
  }
}

/// False: the outcomes are not available.
bool run_round(const Round& round, const Names& names, Evidence& evidence) {
  if (names.empty()) return true;
  auto outcomes = round(names);
  if (outcomes) add_outcomes(names, *std::move(outcomes), evidence);
  return outcomes.has_value();
}

Evidence evidence_on(DeviceKind device) {
  Evidence evidence;
  evidence.devices = devices_of(device);
  return evidence;
}

void drop_contradicted_causes(const Lab& lab, Evidence& evidence) {
  std::map<std::string, std::vector<CaseVerdict*>> by_function;
  for (auto& [name, verdict] : evidence.verdicts)
    if (const Case* one = lab.find_case(name)) by_function[one->entry].push_back(&verdict);
  for (const auto& [function, cases] : by_function) drop_contradicted(cases);
}

}  // namespace

std::optional<Evidence> collect_evidence(const Lab& lab, DeviceKind device, const Round& round) {
  Evidence evidence = evidence_on(device);
  while (evidence.hung_case.empty()) {
    const Names names = next_cases(lab, evidence);
    if (names.empty()) break;
    if (!run_round(round, names, evidence)) return std::nullopt;
  }
  drop_contradicted_causes(lab, evidence);
  return evidence;
}

std::optional<Evidence> collect_evidence(const Lab& lab, const Round& on_virtual, const Round& on_cuda) {
  Evidence seen_on_virtual = evidence_on(DeviceKind::virtual_gpu),
           seen_on_cuda = evidence_on(DeviceKind::cuda);
  for (;;) {
    Evidence merged = merge_devices(lab, seen_on_virtual, seen_on_cuda);
    const Names for_virtual = next_cases(lab, merged, seen_on_virtual);
    const Names for_cuda = next_cases(lab, merged, seen_on_cuda);
    if (!merged.hung_case.empty() || (for_virtual.empty() && for_cuda.empty())) {
      drop_contradicted_causes(lab, merged);
      return merged;
    }
    auto checks =
        std::async(std::launch::async, [&] { return run_round(on_virtual, for_virtual, seen_on_virtual); });
    const bool has_measured = run_round(on_cuda, for_cuda, seen_on_cuda);
    if (!checks.get() || !has_measured) return std::nullopt;
  }
}

bool hung(const CaseRun& run) {
  return run.end == CaseRun::End::wall_limit || run.end == CaseRun::End::cpu_limit;
}

}  // namespace grader
