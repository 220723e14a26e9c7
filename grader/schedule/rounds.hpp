// Selects the cases of a submission to evaluate, in rounds: those of the tasks that can earn points, as far
// as is known. The selection is the same whether a case is run or its outcome is already known.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schedule/case_runner.hpp"

namespace grader {

/// Returns the outcomes of these cases, in order. Outcomes after the first case that hung are ignored.
/// nullopt: the outcomes are not available.
using Round = std::function<std::optional<std::vector<CaseOutcome>>(const std::vector<std::string>& names)>;

/// nullopt: a round returned nullopt.
std::optional<Evidence> collect_evidence(const Lab& lab, DeviceKind device, const Round& round);

/// With both devices: the merged evidence (score/both_devices.hpp) of each round selects the cases of the
/// next one. The two devices' parts of a round run at the same time, on a thread each.
std::optional<Evidence> collect_evidence(const Lab& lab, const Round& on_virtual, const Round& on_cuda);

/// True if the host program reached its time limit. It would take that long again in every case.
bool hung(const CaseRun& run);

}  // namespace grader
