// Computes speed-ups from samples.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "score/score.hpp"

namespace grader {

/// The share of the points that a speed-up earns: 0, or 0.5 (at half) to 1 (at full).
double speed_fraction(double speedup, const SpeedThreshold& threshold);

/// Indices [low, high] of `count` sorted samples that enclose the true median with a confidence of at least
/// 95 % for any distribution: order statistics (David and Nagaraja, "Order Statistics", 3rd ed., section
/// 7.1). Returns the outermost samples if there are too few (under 6) for that confidence.
std::pair<std::size_t, std::size_t> median_interval(std::size_t count);

/// One call on a real GPU.
struct TimedCall {
  double device_s = 0;  ///< between events, as the program reports it
  /// By the grader's clock, from the request for the call to the report that the device has finished.
  double wall_s = 0;
};

/// A program's events do not cover work on its own streams or in other threads, and they can be forged. The
/// grader's clock covers all work, but includes the overhead of the communication. Therefore a submission's
/// call counts with its device time or, if that is more, with its wall time less the overhead. The overhead
/// is the third quartile of the difference between wall and device time in the baseline's calls. If the
/// baseline made fewer calls, their median is its time in the others.
SpeedSamples samples_of(std::span<const TimedCall> baseline, std::span<const TimedCall> student);

/// How much the measurement was slowed down, at least 1: the submission compared with its own events, or the
/// baseline compared with its fastest measurement. On a busy machine, a process can be slow for its whole
/// life. Work that a submission hides from its events has the same effect, but remains when it is measured
/// again.
double disturbance(const SpeedSamples& samples, double fastest_baseline_s);

/// The speed-up that points are given for: the median. If a threshold is inside the interval and at most a
/// tenth away, at least that threshold, so that chance costs no points. A program gains nothing by calls that
/// take very different times.
double credited_speedup(const Performance& performance);

/// The speed-up of each pair of calls, in ascending order. Requires: the samples are paired.
std::vector<double> sorted_ratios(const SpeedSamples& samples);

/// If samples are missing, unpaired or not positive numbers, `verdict` is invalid and `speedup` is 0.
Performance measure_speedup(const std::string& case_name, const SpeedSamples& samples,
                            const SpeedThreshold& threshold);

}  // namespace grader
