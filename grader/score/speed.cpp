#include "score/speed.hpp"

#include <algorithm>
#include <cmath>

#include "base/statistics.hpp"

namespace grader {
namespace {

bool all_positive(const std::vector<double>& samples) {
  return std::all_of(samples.begin(), samples.end(), [](double s) { return std::isfinite(s) && s > 0; });
}

bool is_valid(const SpeedSamples& samples) {
  return !samples.baseline_s.empty() && samples.baseline_s.size() == samples.student_s.size() &&
         all_positive(samples.baseline_s) && all_positive(samples.student_s);
}

/// Probability of `heads` heads in `count` tosses of a coin. Computed in logarithms, so that 2^-count does
/// not underflow.
double coin_probability(std::size_t count, std::size_t heads) {
  double logarithm = -static_cast<double>(count) * std::log(2.0);
  for (std::size_t i = 0; i < heads; ++i)
    logarithm += std::log(static_cast<double>(count - i) / static_cast<double>(i + 1));
  return std::exp(logarithm);
}

bool straddles(const Performance& performance, double threshold) {
  return performance.interval && performance.interval->first < threshold &&
         threshold <= performance.interval->second;
}

SpeedVerdict verdict_of(const Performance& performance) {
  if (straddles(performance, performance.threshold.full) ||
      straddles(performance, performance.threshold.half))
    return SpeedVerdict::too_close;
  return performance.speedup >= performance.threshold.full ? SpeedVerdict::pass : SpeedVerdict::fail;
}

}  // namespace

std::vector<double> sorted_ratios(const SpeedSamples& samples) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < samples.baseline_s.size(); ++i)
    ratios.push_back(samples.baseline_s[i] / samples.student_s[i]);
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

double speed_fraction(double speedup, const SpeedThreshold& threshold) {
  if (!(speedup >= threshold.half)) return 0;
  if (speedup >= threshold.full) return 1;
  return 0.5 + 0.5 * (speedup - threshold.half) / (threshold.full - threshold.half);
}

double credited_speedup(const Performance& performance) {
  constexpr double kClose = 0.9;
  double credited = performance.speedup;
  for (const double threshold : {performance.threshold.half, performance.threshold.full})
    if (straddles(performance, threshold) && performance.speedup >= kClose * threshold)
      credited = std::max(credited, threshold);
  return credited;
}

std::pair<std::size_t, std::size_t> median_interval(std::size_t count) {
  constexpr double kTail = 0.025;  // probability on each side
  // The median is below the sample at index i when fewer than i + 1 samples are below the median.
  std::size_t low = 0;
  for (double tail = coin_probability(count, 0) + coin_probability(count, 1);
       tail <= kTail && low + 1 < count / 2; tail += coin_probability(count, low + 1))
    ++low;
  return {low, count - 1 - low};
}

SpeedSamples samples_of(std::span<const TimedCall> baseline, std::span<const TimedCall> student) {
  SpeedSamples samples;
  std::vector<double> overheads;
  for (const TimedCall& call : baseline) {
    samples.baseline_s.push_back(call.device_s);
    overheads.push_back(call.wall_s - call.device_s);
  }
  const double overhead_s = third_quartile(overheads);
  if (!baseline.empty() && baseline.size() < student.size())
    samples.baseline_s.resize(student.size(), median(samples.baseline_s));
  std::vector<double> claimed_s;
  for (const TimedCall& call : student) {
    samples.student_s.push_back(std::max(call.device_s, call.wall_s - overhead_s));
    claimed_s.push_back(call.device_s);
  }
  if (const double claimed = median(claimed_s); claimed > 0)
    samples.clock_ratio = median(samples.student_s) / claimed;
  return samples;
}

double disturbance(const SpeedSamples& samples, double fastest_baseline_s) {
  return std::max(samples.clock_ratio, median(samples.baseline_s) / fastest_baseline_s);
}

Performance measure_speedup(const std::string& case_name, const SpeedSamples& samples,
                            const SpeedThreshold& threshold) {
  Performance performance;
  performance.case_name = case_name;
  performance.threshold = threshold;
  performance.gpu = samples.gpu;
  if (!is_valid(samples)) return performance;
  const std::vector<double> ratios = sorted_ratios(samples);
  performance.baseline_s = median(samples.baseline_s);
  performance.student_s = median(samples.student_s);
  performance.speedup = median(ratios);
  if (ratios.size() > 1) {
    const auto [low, high] = median_interval(ratios.size());
    performance.interval = std::pair{ratios[low], ratios[high]};
  }
  performance.verdict = verdict_of(performance);
  return performance;
}

}  // namespace grader
