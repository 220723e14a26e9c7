// Which cases of a submission are looked at, round after round: those of the tasks whose needs have passed so
// far. The same whether a case is run or its outcome is known already.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schedule/case_runner.hpp"

namespace grader {

/// The outcomes of these cases, in order. What stands behind the first one that hung is not looked at.
/// nullopt: there are none.
using Round = std::function<std::optional<std::vector<CaseOutcome>>(const std::vector<std::string>& names)>;

/// nullopt: a round was.
std::optional<Evidence> collect_evidence(const Lab& lab, DeviceKind device, const Round& round);

/// The host program ran into its time limit; it would take that long again in every case.
bool hung(const CaseRun& run);

}  // namespace grader
