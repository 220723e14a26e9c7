// The turns of a speed-up on a real GPU, and what is read from them. How many there are, what inputs they get
// and which outputs are looked at is drawn anew each time, so that no program can prepare for it. Draws are
// not reproducible, on purpose.
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

/// Warm-ups first; one of the others is shown. It and the last one get the inputs of `shown_rotation`, so
/// that one oracle judges both. `call_s` is how long the baseline's call takes, where that is known: the
/// longer, the fewer calls.
std::vector<harness::Turn> draw_turns(std::uint64_t shown_rotation, std::optional<double> call_s);

/// The calls that count: all but the warm-ups.
std::vector<TimedCall> timed_calls(std::span<const harness::TurnRecord> records);

/// Index of the turn that is shown. Requires: draw_turns() made them.
std::size_t shown_turn(std::span<const harness::Turn> turns);

}  // namespace grader
