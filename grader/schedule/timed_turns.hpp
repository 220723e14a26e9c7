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

/// A quick measurement takes about half as many calls as a thorough one. It only counts if it is clear.
enum class Effort { quick, thorough };

/// The turns of one measurement.
struct TurnPlan {
  std::vector<harness::Turn> turns;
  std::size_t warm_ups = 0;           ///< the first turns, which do not count
  std::size_t turns_of_baseline = 0;  ///< the baseline's turns, with its warm-ups; it can take fewer
};

/// Draws the turns: first the warm-ups, then the timed ones, one of which is shown. The shown turn and the
/// last turn get the inputs of `shown_rotation`, so that one oracle judges both. `call_s` is the duration of
/// the baseline's call in seconds, if known; longer calls get fewer turns, of which the baseline takes some.
TurnPlan draw_turns(std::uint64_t shown_rotation, std::optional<double> call_s, Effort effort);

/// The turns of a program that runs alone, only to show how long its call takes.
TurnPlan draw_few_turns();

/// Whether more calls could not change the verdict: the whole interval of the median, or all calls but one at
/// each end, is on one side of both thresholds, at a distance, and the grader's clock agrees with the
/// submission's events.
bool is_clear(const SpeedSamples& samples, const SpeedThreshold& threshold);

/// The calls that count: all except the warm-ups.
std::vector<TimedCall> timed_calls(std::span<const harness::TurnRecord> records, std::size_t warm_ups);

/// Index of the turn that is shown. Requires: draw_turns() made them.
std::size_t shown_turn(std::span<const harness::Turn> turns);

}  // namespace grader
