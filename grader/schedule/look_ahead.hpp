// Runs cases earlier than the rounds of a grading (rounds.hpp) ask for them. A round waits for its slowest
// case, and on a real GPU each round starts processes, which take half a second. A submission that has been
// right so far is likely to be right in the next tasks. Covered by schedule/look_ahead_test.cpp.
#pragma once

#include "schedule/rounds.hpp"

namespace grader {

/// A round that also runs cases of later rounds, and returns their outcomes when they are asked for. A task's
/// level is the length of the longest chain of tasks that it needs. While all cases are accepted, a round of
/// level n runs the cases up to level 2 n, so that a submission that goes wrong at the next task has cost at
/// most about as much work in vain as it was worth. On a real GPU, speed-ups are never measured early: only
/// that takes seconds. Not thread safe. `lab` must outlive the round.
Round looking_ahead(const Lab& lab, DeviceKind device, Round round);

}  // namespace grader
