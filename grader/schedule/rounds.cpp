#include "schedule/rounds.hpp"

namespace grader {

std::optional<Evidence> collect_evidence(const Lab& lab, DeviceKind device, const Round& round) {
  Evidence evidence;
  evidence.device = device;
  for (;;) {
    const std::vector<std::string> names = next_cases(lab, evidence);
    if (names.empty()) return evidence;
    auto outcomes = round(names);
    if (!outcomes) return std::nullopt;
    for (std::size_t i = 0; i < names.size(); ++i) {
      CaseOutcome& outcome = outcomes->at(i);
      evidence.verdicts[names[i]] = std::move(outcome.verdict);
      if (!outcome.counters.empty()) evidence.counters[names[i]] = std::move(outcome.counters);
      if (outcome.speed) evidence.speed[names[i]] = *std::move(outcome.speed);
      evidence.clues.merge(outcome.clues);
      if (!hung(outcome.run)) continue;
      evidence.hung_case = names[i];
      return evidence;
    }
  }
}

bool hung(const CaseRun& run) {
  return run.end == CaseRun::End::wall_limit || run.end == CaseRun::End::cpu_limit;
}

}  // namespace grader
