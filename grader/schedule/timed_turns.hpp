// The turns of a speed-up on a real GPU, and what is read from them. How many there are, what inputs they get
// and which outputs are looked at is drawn anew each time, so that no program can prepare for it.
#pragma once

#include <span>
#include <vector>

#include "harness/conversation.hpp"
#include "harness/job.hpp"
#include "score/speed.hpp"

namespace grader {

/// Warm-ups first; one of the others is shown, and the last one gets its inputs again, so that one oracle
/// judges both. Not reproducible, on purpose.
std::vector<harness::Turn> draw_turns();

/// The calls that count: all but the warm-ups.
std::vector<TimedCall> timed_calls(std::span<const harness::TurnRecord> records);

/// Index of the turn that is shown. Requires: draw_turns() made them.
std::size_t shown_turn(std::span<const harness::Turn> turns);

}  // namespace grader
