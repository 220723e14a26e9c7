#include "schedule/timed_turns.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"

namespace timed_turns_test {

using namespace grader;

TEST_CASE("turns differ between draws, and one of the timed turns is shown") {
  for (const Effort effort : {Effort::quick, Effort::thorough}) {
    const std::size_t fewest = effort == Effort::quick ? 12 : 23;
    std::set<std::uint64_t> rotations;
    std::set<std::size_t> shown;
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t rotation = draw_rotation();
      const auto [turns, warm_ups, of_baseline] = draw_turns(rotation, std::nullopt, effort);
      CHECK(of_baseline == turns.size());
      CHECK(warm_ups == 3);
      CHECK(turns.size() >= fewest);
      CHECK(std::count_if(turns.begin(), turns.end(), [](const auto& turn) { return turn.shown; }) == 1);
      CHECK(shown_turn(turns) >= warm_ups);
      CHECK(turns[shown_turn(turns)].rotation == rotation);
      CHECK(turns.back().rotation == rotation);
      shown.insert(shown_turn(turns));
      for (const harness::Turn& turn : turns) rotations.insert(turn.rotation);
    }
    CHECK(rotations.size() > 50 * (fewest - 1) - 5);
    CHECK(shown.size() > 5);
  }
}

TEST_CASE("longer calls get fewer turns, but never too few for an interval of the median") {
  const auto least_of_many = [](double call_s, Effort effort) {
    std::size_t least = 1000;
    for (int i = 0; i < 100; ++i) least = std::min(least, draw_turns(0, call_s, effort).turns.size());
    return least;
  };
  CHECK(least_of_many(0.001, Effort::thorough) == 3 + 20);
  CHECK(least_of_many(0.25, Effort::thorough) == 3 + 12);
  CHECK(least_of_many(30, Effort::thorough) == 3 + 9);
  const auto [low, high] = median_interval(9);
  CHECK(low > 0);
  CHECK(high < 8);
  CHECK(least_of_many(0.001, Effort::quick) == 3 + 9);
  CHECK(least_of_many(0.25, Effort::quick) == 1 + 9);
}

TEST_CASE("a baseline whose calls are long takes only a few turns of a quick measurement") {
  CHECK(draw_turns(0, 0.25, Effort::quick).turns_of_baseline == 1 + 3);
  const TurnPlan thorough = draw_turns(0, 0.25, Effort::thorough);
  CHECK(thorough.turns_of_baseline == thorough.turns.size());
}

TEST_CASE("a measurement is clear if its whole interval is far from both thresholds") {
  const auto clear = [](std::vector<double> speedups, double clock_ratio = 1) {
    SpeedSamples samples{std::vector<double>(speedups.size(), 1.0), {}};
    for (const double one : speedups) samples.student_s.push_back(1 / one);
    samples.clock_ratio = clock_ratio;
    return is_clear(samples, {.full = 2, .half = 1.5});
  };
  CHECK(clear({2.3, 2.4, 2.3, 2.4, 2.3, 2.4}));
  CHECK(clear({1.1, 1.2, 1.1, 1.2, 1.1, 1.2}));
  CHECK_FALSE(clear({2.3, 2.4, 2.3, 2.4, 2.3, 2.1}));  // one call near the threshold
  CHECK(clear({2.6, 2.7, 2.6, 2.7, 2.6, 1.2}));        // one disturbed call
  CHECK_FALSE(clear({2.6, 2.7, 2.6, 2.7, 1.3, 1.2}));  // two
  CHECK_FALSE(clear({1.7, 1.8, 1.7, 1.8, 1.7, 1.8}));  // the points depend on the value
  CHECK_FALSE(clear({1.1, 1.2, 1.1, 1.2, 1.1, 1.45}));
  CHECK_FALSE(clear({2.3, 2.4, 2.3, 2.4, 2.3, 2.4}, 1.3));  // hidden work, or a busy machine
  CHECK_FALSE(clear({}));
}

TEST_CASE("the baseline alone takes few turns, all with inputs of their own") {
  const auto [turns, warm_ups, of_baseline] = draw_few_turns();
  CHECK(of_baseline == turns.size());
  CHECK(turns.size() == 3);
  CHECK(warm_ups == 1);
  std::set<std::uint64_t> rotations;
  for (const harness::Turn& turn : turns) rotations.insert(turn.rotation);
  CHECK(rotations.size() == turns.size());
}

TEST_CASE("warm-ups do not count") {
  std::vector<harness::TurnRecord> records(5);
  records[3] = {0.5, 0.75, {}};
  const std::vector<TimedCall> calls = timed_calls(records, 3);
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].device_s == 0.5);
  CHECK(calls[0].wall_s == 0.75);
  CHECK(timed_calls({records.data(), 2}, 3).empty());
}

}  // namespace timed_turns_test
