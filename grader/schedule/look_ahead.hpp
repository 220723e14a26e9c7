// Runs cases earlier than the rounds of a grading (rounds.hpp) ask for them. A round waits for its slowest
// case, and on a real GPU each round starts processes, which take half a second. A submission that has been
// right so far is likely to be right in the next tasks. Covered by schedule/look_ahead_test.cpp.
#pragma once

#include "schedule/rounds.hpp"

namespace grader {

/// Runs the cases `due` and, if it can, the cases `ahead`, which no round has asked for yet. Returns the
/// outcomes of both, in this order; nullopt for cases that did not run. Outcomes after the first case that
/// hung are ignored. nullopt: the outcomes are not available.
using RoundAhead = std::function<std::optional<std::vector<std::optional<CaseOutcome>>>(
    const std::vector<std::string>& due, const std::vector<std::string>& ahead)>;

/// How far a round runs ahead. A task's level is the length of the longest chain of tasks that it needs.
enum class Reach {
  /// A round of level n runs the cases up to level 2 n, so that a submission that goes wrong at the next task
  /// has cost at most about as much work in vain as it was worth.
  twice_as_far,
  /// All cases: on a real GPU, a case takes milliseconds in a process that it shares, and the virtual GPU
  /// next to it would only wait for these processes.
  everything,
};

/// A round that also runs cases of later rounds, while all cases are accepted, and returns their outcomes
/// when they are asked for. On a real GPU, speed-ups are never measured early: only that takes seconds. Not
/// thread safe. `lab` must outlive the round.
Round looking_ahead(const Lab& lab, DeviceKind device, Reach reach, RoundAhead round);

/// A round without cases ahead.
Round only_due(RoundAhead round);

}  // namespace grader
