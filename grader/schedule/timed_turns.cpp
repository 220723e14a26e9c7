#include "schedule/timed_turns.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace grader {
namespace {

// The first calls include the cost of creating the context, raising the clocks and loading code. Enough calls
// follow for a median and its confidence interval. Nine calls are the fewest whose interval excludes the
// slowest and the fastest call; long calls vary little.
constexpr std::size_t kWarmUps = 3;
constexpr double kFewestCalls = 9, kUsualCalls = 20, kEnough_s = 3;
constexpr std::uint64_t kSpread = 5;

// One warm-up raises the clocks if it takes this long. The interval of the median of six to eight calls
// reaches from the least ratio to the greatest; nine to thirteen calls tolerate a disturbed one.
constexpr double kLong_s = 0.1;
constexpr std::size_t kLongWarmUps = 1, kFewestQuick = 9, kFewestToTrim = 6;
constexpr std::uint64_t kLongSpread = 3;
// Of long calls, the baseline makes as many as its median needs if one can be disturbed: the calls of one
// process differ by less than a hundredth, and the pace shows whether the whole process is slow.
constexpr std::size_t kLongOfBaseline = 3;

// The baseline alone: its calls need no interval.
constexpr std::size_t kFewWarmUps = 1, kFewCalls = 2;

// How far from a threshold a quick measurement must be, and how far if one call may be disturbed.
constexpr double kClear = 1.1, kVeryClear = 1.25;
// The greatest clock_ratio of a calm measurement.
constexpr double kCalmClock = 1.2;

std::uint64_t draw() {
  static thread_local std::random_device entropy;
  return (std::uint64_t{entropy()} << 32U) | entropy();
}

}  // namespace

std::uint64_t draw_rotation() { return draw() >> 1U; }

TurnPlan draw_turns(std::uint64_t shown_rotation, std::optional<double> call_s, Effort effort) {
  const bool is_long = effort == Effort::quick && call_s && *call_s >= kLong_s;
  std::uint64_t timed = 0;
  if (effort == Effort::quick) {
    timed = kFewestQuick + draw() % (is_long ? kLongSpread : kSpread);
  } else {
    const double fewest =
        call_s ? std::clamp(std::ceil(kEnough_s / *call_s), kFewestCalls, kUsualCalls) : kUsualCalls;
    timed = static_cast<std::uint64_t>(fewest) + draw() % kSpread;
  }
  TurnPlan plan{{}, is_long ? kLongWarmUps : kWarmUps};
  plan.turns.resize(plan.warm_ups + timed);
  plan.turns_of_baseline = is_long ? plan.warm_ups + kLongOfBaseline : plan.turns.size();
  for (harness::Turn& turn : plan.turns) turn.rotation = draw_rotation();
  harness::Turn& shown = plan.turns[plan.warm_ups + draw() % timed];
  shown.shown = true;
  shown.rotation = plan.turns.back().rotation = shown_rotation;
  return plan;
}

TurnPlan draw_few_turns() {
  TurnPlan plan{std::vector<harness::Turn>(kFewWarmUps + kFewCalls), kFewWarmUps, kFewWarmUps + kFewCalls};
  for (harness::Turn& turn : plan.turns) turn.rotation = draw_rotation();
  return plan;
}

bool is_clear(const SpeedSamples& samples, const SpeedThreshold& threshold) {
  const auto is_beyond = [&](double least, double most, double distance) {
    return least >= distance * threshold.full || distance * most < threshold.half;
  };
  const Performance found = measure_speedup("", samples, threshold);
  if (!found.interval || samples.clock_ratio > kCalmClock) return false;
  const auto [least, most] = *found.interval;
  if (is_beyond(least, most, kClear)) return true;
  if (samples.baseline_s.size() < kFewestToTrim) return false;
  const std::vector<double> ratios = sorted_ratios(samples);
  return is_beyond(ratios[1], ratios[ratios.size() - 2], kVeryClear);
}

std::vector<TimedCall> timed_calls(std::span<const harness::TurnRecord> records, std::size_t warm_ups) {
  std::vector<TimedCall> calls;
  for (std::size_t i = warm_ups; i < records.size(); ++i)
    calls.push_back({records[i].device_s, records[i].wall_s});
  return calls;
}

std::size_t shown_turn(std::span<const harness::Turn> turns) {
  const auto shown = std::find_if(turns.begin(), turns.end(), [](const auto& turn) { return turn.shown; });
  return static_cast<std::size_t>(shown - turns.begin());
}

}  // namespace grader
