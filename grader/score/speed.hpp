// Speed-ups from samples.
#pragma once

#include <optional>
#include <utility>

#include "score/score.hpp"

namespace grader {

/// Which part of the points a speed-up earns: 0, or 0.5 (at half) to 1 (at full).
double speed_fraction(double speedup, const SpeedThreshold& threshold);

/// Indices [low, high] of `count` sorted samples between which the median lies with a confidence of at least
/// 95 % whatever the distribution: order statistics (David and Nagaraja, "Order Statistics", 3rd ed., section
/// 7.1). The outermost samples when there are too few (under 6) for that confidence.
std::pair<std::size_t, std::size_t> median_interval(std::size_t count);

/// `verdict` is invalid when samples are missing, unpaired or no positive numbers; speedup is 0 then.
Performance measure_speedup(const std::string& case_name, const SpeedSamples& samples,
                            const SpeedThreshold& threshold);

}  // namespace grader
