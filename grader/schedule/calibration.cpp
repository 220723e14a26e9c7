#include "schedule/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/statistics.hpp"
#include "report/numbers.hpp"

namespace grader {
namespace {

/// Rounds down to two significant digits: 4.59 → 4.5, 51.9 → 51.
double rounded_down(double value) {
  if (!(value > 0)) return 0;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  // In binary, 1.3 / 0.1 is a little less than 13; 1e-9 compensates for that.
  return std::round(std::floor(value / unit + 1e-9) * unit * 1e6) / 1e6;
}

double percent_above(double value, double threshold) { return 100 * (value / threshold - 1); }

std::string problem_of(const ReferenceRuns& runs, double full) {
  if (runs.kind == ReferenceKind::slow)
    return runs.most() >= full ? fmt::format("{} must be below {} but reaches {}", runs.program,
                                             value_text(full), value_text(runs.most()))
                               : "";
  if (runs.speedups.empty()) return runs.program + " has no correct result, so it was not timed";
  if (runs.least() < full)
    return fmt::format("{} must reach {} but only reaches {}", runs.program, value_text(full),
                       value_text(runs.least()));
  if (runs.kind == ReferenceKind::solution && runs.least() < kThresholdMargin * full)
    return fmt::format("{} exceeds {} by only {:.0f} %; {:.0f} % are required", runs.program,
                       value_text(full), std::floor(percent_above(runs.least(), full) + 1e-9),
                       percent_above(kThresholdMargin, 1));
  return "";
}

}  // namespace

std::string_view to_string(ReferenceKind kind) {
  switch (kind) {
    case ReferenceKind::solution:
      return "solution";
    case ReferenceKind::accepted:
      return "accepted";
    case ReferenceKind::slow:
      break;
  }
  return "slow";
}

double ReferenceRuns::least() const {
  return speedups.empty() ? 0 : *std::min_element(speedups.begin(), speedups.end());
}

double ReferenceRuns::most() const {
  return speedups.empty() ? 0 : *std::max_element(speedups.begin(), speedups.end());
}

double ReferenceRuns::median() const { return grader::median(speedups); }

std::optional<SpeedThreshold> proposed_threshold(const Calibration& calibration) {
  std::optional<double> reachable;
  double slow = 1;  // the naive program compared with itself
  for (const ReferenceRuns& runs : calibration.programs) {
    if (runs.kind == ReferenceKind::slow) {
      slow = std::max(slow, runs.most());
      continue;
    }
    const double bound = runs.least() / (runs.kind == ReferenceKind::solution ? kThresholdMargin : 1);
    reachable = std::min(bound, reachable.value_or(bound));
  }
  SpeedThreshold threshold;
  threshold.full = rounded_down(reachable.value_or(0));
  threshold.half = std::round(100 * (1 + threshold.full) / 2) / 100;
  return threshold.full > slow ? std::optional(threshold) : std::nullopt;
}

std::vector<std::string> threshold_problems(const Calibration& calibration) {
  std::vector<std::string> problems;
  for (const ReferenceRuns& runs : calibration.programs)
    if (std::string problem = problem_of(runs, calibration.present.full); !problem.empty())
      problems.push_back(std::move(problem));
  return problems;
}

Lab only_speedups(const Lab& lab) {
  Lab reduced = lab;
  std::erase_if(reduced.tasks, [](const Task& task) { return !task.speedup; });
  std::set<std::string> used;
  for (Task& task : reduced.tasks) {
    task.needs.clear();
    task.cases.clear();
    task.objectives.clear();
    used.insert({task.speedup->virtual_case, task.speedup->cuda_case});
  }
  std::erase_if(reduced.cases, [&](const Case& one) { return !used.contains(one.name); });
  return reduced;
}

}  // namespace grader
