#include "score/speed.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

namespace {

using grader::credited_speedup;
using grader::measure_speedup;
using grader::median_interval;
using grader::Performance;
using grader::speed_fraction;
using grader::SpeedSamples;
using grader::SpeedThreshold;
using grader::SpeedVerdict;

const SpeedThreshold kThreshold{3.0, 2.0, std::nullopt};

/// Samples whose ratios are `ratios`.
SpeedSamples samples(const std::vector<double>& ratios) {
  SpeedSamples made;
  for (const double ratio : ratios) {
    made.baseline_s.push_back(ratio * 1e-3);
    made.student_s.push_back(1e-3);
  }
  return made;
}

SpeedVerdict verdict(const std::vector<double>& ratios) {
  return measure_speedup("case", samples(ratios), kThreshold).verdict;
}

TEST_CASE("points grow linearly from half at one threshold to all at the other") {
  CHECK(speed_fraction(1.99, kThreshold) == 0);
  CHECK(speed_fraction(2.0, kThreshold) == 0.5);
  CHECK(speed_fraction(2.5, kThreshold) == 0.75);
  CHECK(speed_fraction(3.0, kThreshold) == 1);
  CHECK(speed_fraction(99, kThreshold) == 1);
  CHECK(speed_fraction(std::nan(""), kThreshold) == 0);
}

TEST_CASE("the grader's clock counts work that a submission's events do not cover") {
  using grader::TimedCall;
  const std::vector<TimedCall> baseline = {
      {1.0, 1.1}, {1.0, 1.1}, {1.0, 1.2}, {1.0, 9.0}};  // one was disturbed
  const auto counted = [&](TimedCall call) {
    return grader::samples_of(baseline, std::vector<TimedCall>{call}).student_s.front();
  };
  CHECK(counted({0.5, 0.6}) == 0.5);
  CHECK(counted({0.5, 0.7}) == 0.5);           // no more overhead than three quarters of the baseline's calls
  CHECK(counted({0.5, 1.5}) == Approx(1.3));   // continued to work after its events
  CHECK(counted({1e-9, 0.9}) == Approx(0.7));  // forged events
  const auto clock_ratio = [&](const std::vector<TimedCall>& calls) {
    return grader::samples_of(baseline, calls).clock_ratio;
  };
  CHECK(clock_ratio({{0.5, 0.6}, {0.5, 0.7}, {0.5, 3.0}}) == 1);  // disturbed once
  CHECK(clock_ratio({{0.5, 1.5}, {0.5, 1.5}, {0.5, 0.6}}) == Approx(2.6));
  CHECK(grader::samples_of(baseline, {}).baseline_s == std::vector<double>{1.0, 1.0, 1.0, 1.0});
}

TEST_CASE("a baseline that made fewer calls counts with their median in the others") {
  const std::vector<TimedCall> baseline = {{3, 3}, {5, 5}, {4, 4}}, student(5, TimedCall{1, 1});
  CHECK(grader::samples_of(baseline, student).baseline_s == std::vector<double>{3, 5, 4, 4, 4});
  CHECK(grader::samples_of({}, student).baseline_s.empty());
}

TEST_CASE("the disturbance of a measurement is that of the submission or the baseline, whichever is larger") {
  SpeedSamples both = samples({2.0});
  CHECK(grader::disturbance(both, both.baseline_s.front()) == 1);
  CHECK(grader::disturbance(both, both.baseline_s.front() / 2) == Approx(2));
  both.clock_ratio = 3;
  CHECK(grader::disturbance(both, both.baseline_s.front() / 2) == 3);
}

TEST_CASE("one exact sample has no interval") {
  const auto exact = measure_speedup("case", samples({3.0}), kThreshold);
  CHECK(exact.speedup == 3.0);
  CHECK_FALSE(exact.interval);
  CHECK(exact.verdict == SpeedVerdict::pass);
  CHECK(verdict({2.99}) == SpeedVerdict::fail);
}

TEST_CASE("the speed-up is the median of paired ratios, so drift of the clock cancels") {
  SpeedSamples drifting;
  for (int i = 1; i <= 9; ++i) {
    drifting.baseline_s.push_back(4.0 * i);
    drifting.student_s.push_back(1.0 * i);
  }
  const auto measured = measure_speedup("case", drifting, kThreshold);
  CHECK(measured.speedup == 4);
  CHECK(measured.interval == std::pair{4.0, 4.0});
  CHECK(measured.baseline_s == 20);
}

TEST_CASE("the interval of the median matches published tables of order statistics") {
  // First and last sample of the 95 % interval, counted from 0 (for instance Conover, table A3).
  CHECK(median_interval(6) == std::pair<std::size_t, std::size_t>{0, 5});
  CHECK(median_interval(10) == std::pair<std::size_t, std::size_t>{1, 8});
  CHECK(median_interval(20) == std::pair<std::size_t, std::size_t>{5, 14});
  CHECK(median_interval(50) == std::pair<std::size_t, std::size_t>{17, 32});
  CHECK(median_interval(3) == std::pair<std::size_t, std::size_t>{0, 2});
  CHECK(median_interval(1) == std::pair<std::size_t, std::size_t>{0, 0});
  CHECK(median_interval(2000).first > 900);
}

TEST_CASE("an interval across a threshold is too close to call") {
  CHECK(verdict({3.1, 3.1, 3.2, 3.2, 3.3, 3.3}) == SpeedVerdict::pass);
  CHECK(verdict({2.9, 3.1, 3.2, 3.2, 3.3, 3.3}) == SpeedVerdict::too_close);
  CHECK(verdict({2.1, 2.2, 2.2, 2.3, 2.3, 2.4}) == SpeedVerdict::fail);
  CHECK(verdict({1.9, 2.1, 2.2, 2.2, 2.3, 2.3}) == SpeedVerdict::too_close);
  CHECK(verdict({1.0, 1.1, 1.1, 1.2, 1.2, 1.3}) == SpeedVerdict::fail);
}

TEST_CASE("a threshold inside the interval is credited, so that chance costs no points") {
  const auto credited = [](std::vector<double> ratios) {
    Performance performance;
    performance.threshold = kThreshold;
    performance.speedup = ratios[1];
    performance.interval = std::pair{ratios[0], ratios[2]};
    return credited_speedup(performance);
  };
  CHECK(credited({2.8, 2.9, 3.1}) == 3);
  CHECK(credited({2.8, 3.05, 3.1}) == 3.05);
  CHECK(credited({1.8, 1.9, 2.1}) == 2);
  CHECK(credited({1.8, 1.9, 3.0}) == 2);
  CHECK(credited({1.5, 1.7, 3.0}) == 1.7);
  CHECK(credited({1.7, 1.8, 1.9}) == 1.8);
  CHECK(credited({2.2, 2.3, 2.4}) == 2.3);
  Performance exact;
  exact.threshold = kThreshold;
  exact.speedup = 2.99;
  CHECK(credited_speedup(exact) == 2.99);
}

TEST_CASE("samples that are missing, unpaired or not positive are invalid") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const auto of = [](std::vector<double> baseline, std::vector<double> student) {
    return measure_speedup("case", {std::move(baseline), std::move(student)}, kThreshold);
  };
  for (const auto& broken : {of({}, {}), of({1, 2}, {1}), of({1}, {0}), of({1}, {-1}), of({nan}, {1}),
                             of({1}, {nan}), of({1}, {infinity}), of({infinity}, {1})}) {
    CHECK(broken.verdict == SpeedVerdict::invalid);
    CHECK(broken.speedup == 0);
  }
}

}  // namespace
