#include "schedule/timed_turns.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"

namespace timed_turns_test {

using namespace grader;

TEST_CASE("turns differ between draws, and one of the timed turns is shown") {
  std::set<std::uint64_t> rotations;
  std::set<std::size_t> shown;
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t rotation = draw_rotation();
    const std::vector<harness::Turn> turns = draw_turns(rotation, std::nullopt);
    CHECK(turns.size() >= 23);
    CHECK(std::count_if(turns.begin(), turns.end(), [](const auto& turn) { return turn.shown; }) == 1);
    CHECK(shown_turn(turns) >= 3);
    CHECK(turns[shown_turn(turns)].rotation == rotation);
    CHECK(turns.back().rotation == rotation);
    shown.insert(shown_turn(turns));
    for (const harness::Turn& turn : turns) rotations.insert(turn.rotation);
  }
  CHECK(rotations.size() > 50 * 22 - 5);
  CHECK(shown.size() > 5);
}

TEST_CASE("longer calls get fewer turns, but never too few for an interval of the median") {
  const auto least_of_many = [](double call_s) {
    std::size_t least = 1000;
    for (int i = 0; i < 100; ++i) least = std::min(least, draw_turns(0, call_s).size());
    return least;
  };
  CHECK(least_of_many(0.001) == 3 + 20);
  CHECK(least_of_many(0.25) == 3 + 12);
  CHECK(least_of_many(30) == 3 + 9);
  const auto [low, high] = median_interval(9);
  CHECK(low > 0);
  CHECK(high < 8);
}

TEST_CASE("warm-ups do not count") {
  std::vector<harness::TurnRecord> records(5);
  records[3] = {0.5, 0.75, {}};
  const std::vector<TimedCall> calls = timed_calls(records);
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].device_s == 0.5);
  CHECK(calls[0].wall_s == 0.75);
  CHECK(timed_calls({records.data(), 2}).empty());
}

}  // namespace timed_turns_test
