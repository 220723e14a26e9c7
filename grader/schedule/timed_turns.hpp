// The turns of a speed-up on a real GPU, and the evaluation of their records. The number of turns, their
// inputs and the turn whose output is checked are drawn at random each time, so that no program can prepare
// for them. The draws are not reproducible, on purpose.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/conversation.hpp"
#include "harness/job.hpp"
#include "score/speed.hpp"

namespace grader {

std::uint64_t draw_rotation();

/// Draws the turns: first the warm-ups, then the timed ones, one of which is shown. The shown turn and the
/// last turn get the inputs of `shown_rotation`, so that one oracle judges both. `call_s` is the duration of
/// the baseline's call in seconds, if known; longer calls get fewer turns.
std::vector<harness::Turn> draw_turns(std::uint64_t shown_rotation, std::optional<double> call_s);

/// The calls that count: all except the warm-ups.
std::vector<TimedCall> timed_calls(std::span<const harness::TurnRecord> records);

/// Index of the turn that is shown. Requires: draw_turns() made them.
std::size_t shown_turn(std::span<const harness::Turn> turns);

}  // namespace grader
