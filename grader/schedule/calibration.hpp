// Thresholds of a speed-up, from repeated runs of programs of which is known whether they are fast enough.
// Pure. Covered by schedule/calibration_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/lab.hpp"

namespace grader {

enum class ReferenceKind {
  solution,  ///< must reach the threshold with the margin
  accepted,  ///< must reach it
  slow       ///< must miss it
};
std::string_view to_string(ReferenceKind kind);

struct ReferenceRuns {
  std::string program;  ///< "solutions/02-tiled-matmul/wrong/not_tiled.cu"
  ReferenceKind kind = ReferenceKind::slow;
  std::vector<double> speedups;  ///< one a run; empty: its result was wrong

  double least() const;  ///< 0 without runs
  double most() const;   ///< 0 without runs
  double median() const;
};

/// One speed-up of a lab on one device.
struct Calibration {
  std::string lab, case_name;
  SpeedThreshold present;  ///< what lab.json says
  std::vector<ReferenceRuns> programs;
};

/// The solution's slowest run must be faster than `full` by this factor.
inline constexpr double kThresholdMargin = 1.25;

/// `full`: the slowest run of the solution less the margin, and of no accepted program, in two digits; `half`
/// lies midway between that and the naive program. nullopt: there is nothing above every slow program.
std::optional<SpeedThreshold> proposed_threshold(const Calibration& calibration);

/// Why the present threshold does not hold, a sentence for each program; empty when it does.
std::vector<std::string> threshold_problems(const Calibration& calibration);

/// The lab with nothing but its speed-ups, each independent of everything else.
Lab only_speedups(const Lab& lab);

}  // namespace grader
