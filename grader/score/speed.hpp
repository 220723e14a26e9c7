// Speed-ups from samples.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "score/score.hpp"

namespace grader {

/// Which part of the points a speed-up earns: 0, or 0.5 (at half) to 1 (at full).
double speed_fraction(double speedup, const SpeedThreshold& threshold);

/// Indices [low, high] of `count` sorted samples between which the median lies with a confidence of at least
/// 95 % whatever the distribution: order statistics (David and Nagaraja, "Order Statistics", 3rd ed., section
/// 7.1). The outermost samples when there are too few (under 6) for that confidence.
std::pair<std::size_t, std::size_t> median_interval(std::size_t count);

/// One call on a real GPU.
struct TimedCall {
  double device_s = 0;  ///< between events, by the program's own word
  double wall_s =
      0;  ///< by the grader's clock, from asking for the call to hearing that the device has finished
};

/// A program's events do not see what it does on streams of its own, or in other threads, and may be forged.
/// The grader's clock misses nothing, but counts the way there and back. So a submission's call counts with
/// its device time, or, if that is more, with its wall time less the way, which is taken from the baseline: a
/// quarter of its calls have more than that between wall and device time.
SpeedSamples samples_of(std::span<const TimedCall> baseline, std::span<const TimedCall> student);

/// How much slower the measurement found things than they are, 1 or more: the submission than its events say,
/// or the baseline than at its fastest. Processes on a busy machine can be slow for as long as they live.
/// What a submission hides from its events looks the same, but does not go away when it is measured again.
double disturbance(const SpeedSamples& samples, double fastest_baseline_s);

/// `verdict` is invalid when samples are missing, unpaired or no positive numbers; speedup is 0 then.
Performance measure_speedup(const std::string& case_name, const SpeedSamples& samples,
                            const SpeedThreshold& threshold);

}  // namespace grader
