// Thresholds of a speed-up, from repeated runs of reference programs known to be fast or slow. Pure. Covered
// by schedule/calibration_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/lab.hpp"

namespace grader {

enum class ReferenceKind {
  solution,  ///< must reach the threshold with the margin
  accepted,  ///< must reach the threshold
  slow       ///< must miss the threshold
};
std::string_view to_string(ReferenceKind kind);

struct ReferenceRuns {
  std::string program;  ///< "solutions/02-tiled-matmul/wrong/not_tiled.cu"
  ReferenceKind kind = ReferenceKind::slow;
  std::vector<double> speedups;  ///< one per run; empty: the result was wrong

  double least() const;  ///< 0 without runs
  double most() const;   ///< 0 without runs
  double median() const;
};

/// One speed-up of a lab on one device.
struct Calibration {
  std::string lab, case_name;
  SpeedThreshold present;  ///< the threshold in lab.json
  std::vector<ReferenceRuns> programs;
};

/// The solution's slowest run must be faster than `full` by this factor.
inline constexpr double kThresholdMargin = 1.25;

/// `full` is the largest two-digit value that the slowest run of every accepted program reaches, and the
/// solution's slowest run reaches with the margin. `half` is midway between `full` and the naive program's
/// speed-up of 1. nullopt: no such value is above every slow program.
std::optional<SpeedThreshold> proposed_threshold(const Calibration& calibration);

/// The reasons why the present threshold does not hold, one sentence per program; empty if it holds.
std::vector<std::string> threshold_problems(const Calibration& calibration);

/// A copy of the lab that has only the speed-ups, independent of each other and of other tasks.
Lab only_speedups(const Lab& lab);

}  // namespace grader
