// How much results change when values on a way are doubled.
#include "lab/change_counters.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "catch.hpp"
#include "vgpu/state/unwritten.hpp"

namespace change_counters_test {

using grader::Array;
using grader::least_change;
using grader::least_uneven_change;

namespace {

std::vector<Array> array(std::vector<float> values) {
  Array one;
  one.values = std::move(values);
  return {one};
}

}  // namespace

TEST_CASE("a change is a multiple of the result, and the least of nine tenths of the elements") {
  CHECK(least_change(array({1, 2, -3}), array({2, 4, -6})) == 1);
  CHECK(least_change(array({1, 2, -3}), array({4, 8, 6})) == 1);
  CHECK(least_change(array({1, 2, -4}), array({0.5, 1, -2})) == 0.5);
  CHECK(least_change(array({1, 2, -3}), array({2, 2, -6})) == 0);
  std::vector<float> right(20, 1), changed(20, 2);
  changed[3] = changed[7] = 1;  // two of twenty
  CHECK(least_change(array(right), array(changed)) == 1);
  changed[8] = 1;
  CHECK(least_change(array(right), array(changed)) == 0);
}

TEST_CASE("elements that are 0 or infinite show nothing, and one that becomes NaN counts as changed") {
  CHECK(least_change(array({0, INFINITY, 2}), array({0, INFINITY, 4})) == 1);
  CHECK(least_change(array({0, 0}), array({1, 1})) == 0);
  CHECK(least_change(array({1, 1}), array({NAN, INFINITY})) == 1);
  CHECK(least_change(array({1, 1}), array({2})) == 0);
  CHECK(least_change({}, {}) == 0);
}

TEST_CASE("elements that change by a power of two exactly do not count as changed unevenly") {
  CHECK(least_uneven_change(array({1, 2, -3}), array({2, 8, -6})) == 0);
  CHECK(least_uneven_change(array({1, 2, -3}), array({3, 5, -7})) == 1);
  CHECK(least_uneven_change(array({1, 2, 4}), array({1.5, 3, 5})) == 0.25);
  CHECK(least_uneven_change(array({1, 2}), array({-3, 5})) == 1);
}

TEST_CASE("an element that is not stored with other values is unchanged, and a NaN that is stored is not") {
  const auto poison = std::bit_cast<float>(~std::uint32_t{0});
  CHECK(least_change(array({1, 1}), array({poison, poison})) == 0);
  for (const std::uint32_t word : vgpu::kUnwrittenWords) {
    const auto unwritten = std::bit_cast<float>(word);
    CHECK(least_change(array({1, 1}), array({unwritten, unwritten})) == 0);
  }
  CHECK(least_change(array({1, 1}), array({std::bit_cast<float>(0x7FFFFFFFU), 2})) == 1);
}

TEST_CASE("doublings are counted, and those that half of the elements have are the value") {
  CHECK(grader::median_doublings(array({1, 2, -3}), array({4, 8, -12})) == 2);
  CHECK(grader::median_doublings(array({1, 2, -3}), array({2, 4, 6})) == 1);
  CHECK(grader::median_doublings(array({1, 2, 3}), array({4, 2, 12})) == 2);
  CHECK(grader::median_doublings(array({1, 2, 3}), array({4, 2, 3})) == 0);
  CHECK(grader::median_doublings(array({1, 2}), array({0.25, INFINITY})) == 0);
  const auto poison = std::bit_cast<float>(~std::uint32_t{0});
  CHECK(grader::median_doublings(array({1, 2, 3}), array({poison, poison, 12})) == 0);
}

TEST_CASE("an objective's case uses the counter, in its related counters too, and no other case does") {
  grader::Lab lab;
  lab.tasks.resize(1);
  grader::Objective objective;
  objective.counter = "launches";
  objective.case_name = "a";
  objective.related.push_back({"change_by_exchanges", 0, 1, {}, 0.5});
  lab.tasks[0].objectives.push_back(objective);
  REQUIRE(grader::change_counters_of(lab, "a").size() == 1);
  CHECK(grader::change_counters_of(lab, "a")[0].name == "change_by_exchanges");
  CHECK(grader::change_counters_of(lab, "b").empty());
  CHECK(grader::find_change_counter("change_by_shared_loads") != nullptr);
  CHECK(grader::find_change_counter("change") == nullptr);
}

}  // namespace change_counters_test
