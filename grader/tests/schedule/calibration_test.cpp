#include "schedule/calibration.hpp"

#include "catch.hpp"

namespace calibration_test {

using namespace grader;

namespace {

ReferenceRuns runs(const std::string& program, ReferenceKind kind, std::vector<double> speedups) {
  return {program, kind, std::move(speedups)};
}

Calibration sound() {
  Calibration calibration{"02-tiled-matmul", "square-512", {2.0, 1.5, {}}, {}};
  calibration.programs = {runs("solution.cu", ReferenceKind::solution, {3.1, 2.9, 3.0}),
                          runs("accepted/other.cu", ReferenceKind::accepted, {2.4}),
                          runs("naive.cu", ReferenceKind::slow, {1.0, 0.99}),
                          runs("wrong/slow.cu", ReferenceKind::slow, {1.7})};
  return calibration;
}

}  // namespace

TEST_CASE("a threshold with a margin, above everything slow, holds") {
  CHECK(threshold_problems(sound()).empty());
}

TEST_CASE("each program that contradicts a threshold is reported") {
  Calibration calibration = sound();
  calibration.present.full = 2.5;
  CHECK(threshold_problems(calibration) ==
        std::vector<std::string>{"solution.cu exceeds 2.5 by only 16 %; 25 % are required",
                                 "accepted/other.cu must reach 2.5 but only reaches 2.4"});
  calibration.present.full = 1.6;
  CHECK(threshold_problems(calibration) ==
        std::vector<std::string>{"wrong/slow.cu must be below 1.6 but reaches 1.7"});
  calibration.present.full = 3;
  CHECK(threshold_problems(calibration).front() == "solution.cu must reach 3 but only reaches 2.9");
}

TEST_CASE("a program without a correct result supports no threshold") {
  Calibration calibration = sound();
  calibration.programs[0].speedups.clear();
  CHECK(threshold_problems(calibration) ==
        std::vector<std::string>{"solution.cu has no correct result, so it was not timed"});
  CHECK_FALSE(proposed_threshold(calibration));
}

TEST_CASE("the proposed threshold leaves the solution its margin, in two digits") {
  const auto threshold = proposed_threshold(sound());
  REQUIRE(threshold);
  CHECK(threshold->full == 2.3);  // 2.9 / 1.25 = 2.32
  CHECK(threshold->half == 1.65);
  Calibration calibration = sound();
  calibration.present = *threshold;
  CHECK(threshold_problems(calibration).empty());

  calibration.programs[0].speedups = {77};
  calibration.programs[1].speedups = {90};
  CHECK(proposed_threshold(calibration)->full == 61);  // 77 / 1.25 = 61.6
  calibration.programs[1].speedups = {1.3};
  CHECK_FALSE(proposed_threshold(calibration));  // below wrong/slow.cu
}

TEST_CASE("runs are summarised by minimum, median and maximum") {
  const ReferenceRuns four = runs("p", ReferenceKind::slow, {4, 1, 3, 2});
  CHECK(four.least() == 1);
  CHECK(four.median() == 2.5);
  CHECK(four.most() == 4);
  CHECK(runs("p", ReferenceKind::slow, {}).median() == 0);
}

TEST_CASE("a lab reduced to its speed-ups has no needs") {
  Lab lab;
  Task traffic, speed;
  traffic.id = "traffic";
  traffic.cases = {"small"};
  speed.id = "speed";
  speed.needs = {"traffic"};
  speed.cases = {"small"};
  speed.speedup = Speedup{};
  speed.speedup->virtual_case = speed.speedup->cuda_case = "large";
  lab.tasks = {traffic, speed};
  lab.cases.resize(2);
  lab.cases[0].name = "small";
  lab.cases[1].name = "large";
  const Lab reduced = only_speedups(lab);
  REQUIRE(reduced.tasks.size() == 1);
  CHECK(reduced.tasks[0].needs.empty());
  CHECK(reduced.tasks[0].cases.empty());
  REQUIRE(reduced.cases.size() == 1);
  CHECK(reduced.cases[0].name == "large");
}

}  // namespace calibration_test
