#include "pages/item_analysis.hpp"

#include "catch.hpp"

namespace item_analysis_test {

using namespace grader;
using namespace grader::pages;

Check check(const std::string& task, const std::string& name, double points, double max_points) {
  Check made;
  made.id = task + "/" + name;
  made.task = task;
  made.points = points;
  made.max_points = max_points;
  made.status = points == max_points ? CheckStatus::pass : CheckStatus::fail;
  return made;
}

/// Points for a/one (of 10), a/two (of 10) and b/three (of 20).
Result result(double one, double two, double three) {
  Result made;
  made.score.checks = {check("a", "one", one, 10), check("a", "two", two, 10),
                       check("b", "three", three, 20)};
  return made;
}

std::vector<Item> analysed(const std::vector<Result>& results) {
  std::vector<const Result*> pointers;
  for (const Result& one : results) pointers.push_back(&one);
  return item_analysis(pointers);
}

TEST_CASE("facility and discrimination are those computed by hand") {
  auto results = std::vector{result(10, 10, 20), result(10, 5, 0), result(0, 5, 20), result(0, 0, 0)};
  results[3].score.checks[1].status = CheckStatus::skip;
  const auto items = analysed(results);
  REQUIRE(items.size() == 5);
  CHECK(items[0].name == "a");
  CHECK(items[0].is_task);
  CHECK(items[0].points == 20);
  CHECK(items[0].passed == 1);
  CHECK(items[0].failed == 3);
  CHECK(items[0].facility == Approx(0.5));
  // shares 1, 0.75, 0.25, 0 and the rest 20, 0, 20, 0: 5 / sqrt(0.625 · 400)
  CHECK(items[0].discrimination.value() == Approx(0.316228).epsilon(1e-5));

  CHECK(items[1].name == "one");
  CHECK_FALSE(items[1].is_task);
  CHECK(items[1].facility == Approx(0.5));
  // shares 1, 1, 0, 0 and the rest 30, 5, 25, 0: 5 / sqrt(1 · 650)
  CHECK(items[1].discrimination.value() == Approx(0.196116).epsilon(1e-5));

  CHECK(items[2].skipped == 1);
  CHECK(items[2].failed == 2);
  CHECK(items[3].name == "b");
  // shares 1, 0, 1, 0 and the rest 20, 15, 5, 0: 5 / sqrt(1 · 250)
  CHECK(items[4].discrimination.value() == Approx(0.316228).epsilon(1e-5));
}

TEST_CASE("an item that strong submissions miss has a negative discrimination") {
  const auto items = analysed({result(0, 10, 20), result(0, 10, 10), result(10, 0, 0)});
  CHECK(items[1].discrimination.value() < -0.8);
}

TEST_CASE("discrimination is unknown for two results and for equal results") {
  CHECK_FALSE(analysed({result(10, 0, 0), result(0, 10, 20)})[0].discrimination);
  CHECK_FALSE(analysed({result(10, 1, 0), result(10, 2, 5), result(10, 3, 7)})[1].discrimination);
  CHECK_FALSE(correlation({0.1, 0.1, 0.1}, {1, 2, 3}));
}

TEST_CASE("faults of the grader and checks that the device cannot make do not count") {
  auto results = std::vector{result(10, 10, 20), result(0, 0, 0)};
  results[1].score.status = ResultStatus::grader_fault;
  results[0].score.checks.push_back(check("c", "counters", 0, 0));
  results[0].score.checks.push_back(check("", "build", 0, 0));
  const auto items = analysed(results);
  REQUIRE(items.size() == 5);
  for (const Item& item : items) {
    CHECK(item.results == 1);
    CHECK(item.facility == 1);
  }
}

}  // namespace item_analysis_test
