#include "schedule/quoted_values.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace grader {
namespace {

constexpr double kTolerance = 0.01;

bool is_near(double quoted, double found) {
  return std::abs(quoted - found) <= kTolerance * std::max(std::abs(quoted), std::abs(found));
}

/// One quoted counter of one program.
void compare(const std::string& program, const std::string& counter, const std::string& case_name,
             double quoted, const Score& score, std::vector<std::string>& problems) {
  const auto counters = score.counters.find(case_name);
  if (counters == score.counters.end() || !counters->second.contains(counter)) {
    problems.push_back(fmt::format("{}@{}: the {} has no such counter", counter, case_name, program));
    return;
  }
  const double found = counters->second.at(counter);
  if (!is_near(quoted, found))
    problems.push_back(fmt::format("{}@{}: lab.json quotes {:.6g} for the {}, which has {:.6g}", counter,
                                   case_name, quoted, program, found));
}

void compare_speedup(const Speedup& speedup, const Score& solution, std::vector<std::string>& problems) {
  if (!speedup.on_virtual.solution) return;
  const auto measured = std::find_if(solution.performance.begin(), solution.performance.end(),
                                     [&](const auto& one) { return one.case_name == speedup.virtual_case; });
  const double found = measured == solution.performance.end() ? 0 : measured->speedup;
  if (!is_near(*speedup.on_virtual.solution, found))
    problems.push_back(
        fmt::format("{}: lab.json quotes a speed-up of {:.6g} for the solution, which has {:.6g}",
                    speedup.virtual_case, *speedup.on_virtual.solution, found));
}

}  // namespace

Lab without_needs(Lab lab) {
  for (Task& task : lab.tasks) task.needs.clear();
  return lab;
}

std::vector<std::string> misquoted_values(const Lab& lab, const Score& naive, const Score& solution) {
  std::vector<std::string> problems;
  for (const Task& task : lab.tasks) {
    for (const Objective& objective : task.objectives) {
      std::vector<ShownCounter> quoted = objective.related;
      quoted.insert(quoted.begin(), {objective.counter, objective.naive, objective.solution});
      for (const ShownCounter& one : quoted) {
        compare("naive program", one.counter, objective.case_name, one.naive, naive, problems);
        compare("solution", one.counter, objective.case_name, one.solution, solution, problems);
      }
    }
    if (task.speedup) compare_speedup(*task.speedup, solution, problems);
  }
  return problems;
}

}  // namespace grader
