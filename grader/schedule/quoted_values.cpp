#include "schedule/quoted_values.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/counter_names.hpp"

namespace grader {
namespace {

constexpr double kTolerance = 0.01;

bool is_near(double quoted, double found) {
  return std::abs(quoted - found) <= kTolerance * std::max(std::abs(quoted), std::abs(found));
}

std::optional<double> counter_of(const Score& score, const std::string& case_name,
                                 const std::string& counter) {
  const auto counters = score.counters.find(case_name);
  if (counters == score.counters.end() || !counters->second.contains(counter)) return std::nullopt;
  return counters->second.at(counter);
}

/// One quoted counter of one program.
void compare(const std::string& program, const std::string& counter, const std::string& case_name,
             double quoted, const Score& score, std::vector<std::string>& problems) {
  const auto found = counter_of(score, case_name, counter);
  if (!found)
    problems.push_back(fmt::format("{}@{}: the {} has no such counter", counter, case_name, program));
  else if (!is_near(quoted, *found))
    problems.push_back(fmt::format("{}@{}: lab.json quotes {:.6g} for the {}, which has {:.6g}", counter,
                                   case_name, quoted, program, *found));
}

/// How far the value is within the limits; negative outside.
double margin(const Elsewhere& limits, double value) {
  const double below = limits.at_most ? *limits.at_most - value : HUGE_VAL;
  const double above = limits.at_least ? value - *limits.at_least : HUGE_VAL;
  return std::min(below, above);
}

/// The quoted values are those closest to the limits. A case without the counter counts as closest.
void compare(const Elsewhere& limits, const std::string& counter, const Score& naive, const Score& solution,
             std::vector<std::string>& problems) {
  const auto nearer = [&](const Score& score, double if_missing) {
    const auto margin_in = [&, if_missing](const std::string& name) {
      const auto value = counter_of(score, name, counter);
      return value ? margin(limits, *value) : if_missing;
    };
    return [margin_in](const std::string& one, const std::string& other) {
      return margin_in(one) < margin_in(other);
    };
  };
  const auto [first, last] = std::pair(limits.cases.begin(), limits.cases.end());
  compare("naive program", counter, *std::max_element(first, last, nearer(naive, HUGE_VAL)), limits.naive,
          naive, problems);
  compare("solution", counter, *std::min_element(first, last, nearer(solution, -HUGE_VAL)), limits.solution,
          solution, problems);
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

/// What is counted, whatever it is divided by.
std::string counted(const std::string& counter) { return counter.substr(0, counter.find("_per_")); }

/// Pairs of a case and what is limited in it.
std::set<std::pair<std::string, std::string>> limited_counts(const Lab& lab) {
  std::set<std::pair<std::string, std::string>> limited;
  for (const Task& task : lab.tasks)
    for (const Objective& objective : task.objectives) {
      limited.emplace(objective.case_name, counted(objective.counter));
      for (const ShownCounter& one : objective.related)
        if (one.at_most) limited.emplace(objective.case_name, counted(one.counter));
      for (const Elsewhere& one : objective.elsewhere)
        for (const std::string& name : one.cases) limited.emplace(name, counted(objective.counter));
    }
  return limited;
}

bool is_configuration(const std::string& counter) {
  const auto& names = configuration_names();
  return std::find(names.begin(), names.end(), counter) != names.end();
}

/// The other cases of the objective's function in which its counter shows whether the naive kernel ran.
std::vector<std::string> cases_that_show(const Lab& lab, const Objective& objective, const Score& naive,
                                         const Score& solution) {
  constexpr double kClearly = 3;
  std::vector<std::string> names;
  for (const Case& other : lab.cases) {
    const bool is_same_function = other.entry == lab.find_case(objective.case_name)->entry;
    if (other.name == objective.case_name || !is_same_function || !other.earlier_calls.empty()) continue;
    const auto of_naive = counter_of(naive, other.name, objective.counter);
    const auto of_solution = counter_of(solution, other.name, objective.counter);
    if (of_naive && of_solution && *of_naive > kClearly * *of_solution) names.push_back(other.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> unlimited_cases(const Lab& lab, const Score& naive, const Score& solution) {
  std::vector<std::string> problems;
  const auto limited = limited_counts(lab);
  for (const Task& task : lab.tasks)
    for (const Objective& objective : task.objectives) {
      const std::string& counter = objective.counter;
      if (!objective.at_most || !grows_with_work(counter) || is_configuration(counter)) continue;
      const std::vector<std::string> cases = cases_that_show(lab, objective, naive, solution);
      std::vector<std::string> open;
      std::copy_if(cases.begin(), cases.end(), std::back_inserter(open), [&](const std::string& name) {
        return !limited.contains({name, counted(counter)});
      });
      if (2 * open.size() <= cases.size()) continue;
      problems.push_back(fmt::format(
          "{}@{}: the naive kernel differs clearly from the solution in {} other cases too, but most "
          "of them have no limit; add cases to \"elsewhere\": {}",
          counter, objective.case_name, cases.size(), fmt::join(open, ", ")));
    }
  return problems;
}

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
      for (const Elsewhere& one : objective.elsewhere)
        compare(one, objective.counter, naive, solution, problems);
    }
    if (task.speedup) compare_speedup(*task.speedup, solution, problems);
  }
  return problems;
}

}  // namespace grader
