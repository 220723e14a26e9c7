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

std::uint64_t draw() {
  static thread_local std::random_device entropy;
  return (std::uint64_t{entropy()} << 32U) | entropy();
}

}  // namespace

std::uint64_t draw_rotation() { return draw() >> 1U; }

std::vector<harness::Turn> draw_turns(std::uint64_t shown_rotation, std::optional<double> call_s) {
  const double fewest =
      call_s ? std::clamp(std::ceil(kEnough_s / *call_s), kFewestCalls, kUsualCalls) : kUsualCalls;
  const std::uint64_t timed = static_cast<std::uint64_t>(fewest) + draw() % kSpread;
  std::vector<harness::Turn> turns(kWarmUps + timed);
  for (harness::Turn& turn : turns) turn.rotation = draw_rotation();
  harness::Turn& shown = turns[kWarmUps + draw() % timed];
  shown.shown = true;
  shown.rotation = turns.back().rotation = shown_rotation;
  return turns;
}

std::vector<TimedCall> timed_calls(std::span<const harness::TurnRecord> records) {
  std::vector<TimedCall> calls;
  for (std::size_t i = kWarmUps; i < records.size(); ++i)
    calls.push_back({records[i].device_s, records[i].wall_s});
  return calls;
}

std::size_t shown_turn(std::span<const harness::Turn> turns) {
  const auto shown = std::find_if(turns.begin(), turns.end(), [](const auto& turn) { return turn.shown; });
  return static_cast<std::size_t>(shown - turns.begin());
}

}  // namespace grader
