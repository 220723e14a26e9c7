#include "score/missed_limit.hpp"

#include <algorithm>

#include "lab/counter_names.hpp"

namespace grader {
namespace {

/// Whether the greatest value of the counter, also as a ratio, includes atomics.
bool has_atomics(const std::string& counter) {
  return counter_of_atomics(counter.substr(0, counter.find("_per_"))).has_value();
}

std::optional<MissedLimit> miss_of(const ShownCounter& limited, const std::string& case_name,
                                   const std::map<std::string, double>& counters) {
  const auto value = counters.find(limited.counter);
  if (value == counters.end()) return std::nullopt;
  if (!limited.met_by(value->second)) return MissedLimit{limited, case_name, value->second};
  const auto most = counters.find(kMostPrefix + limited.counter);
  if (most == counters.end() || limited.met_by(most->second)) return std::nullopt;
  return MissedLimit{limited, case_name, most->second,
                     has_atomics(limited.counter) ? most->second - value->second : 0};
}

/// The limits that hold in the case.
std::vector<ShownCounter> limits_in(const std::string& case_name, const Objective& objective) {
  std::vector<ShownCounter> limits;
  if (case_name == objective.case_name) {
    limits = objective.related;
    limits.insert(limits.begin(), {objective.counter, objective.naive, objective.solution, objective.at_most,
                                   objective.at_least});
  }
  for (const Elsewhere& one : objective.elsewhere)
    if (std::find(one.cases.begin(), one.cases.end(), case_name) != one.cases.end())
      limits.push_back({objective.counter, one.naive, one.solution, one.at_most, one.at_least});
  return limits;
}

}  // namespace

std::optional<MissedLimit> missed_limit_in(const std::string& case_name, const Objective& objective,
                                           const std::map<std::string, double>& counters) {
  for (const ShownCounter& limited : limits_in(case_name, objective))
    if (auto missed = miss_of(limited, case_name, counters)) return missed;
  return std::nullopt;
}

std::optional<MissedLimit> missed_limit(
    const Objective& objective, const std::map<std::string, std::map<std::string, double>>& counters) {
  std::vector<std::string> cases{objective.case_name};
  for (const Elsewhere& one : objective.elsewhere)
    cases.insert(cases.end(), one.cases.begin(), one.cases.end());
  for (const std::string& name : cases) {
    const auto found = counters.find(name);
    if (found == counters.end()) continue;
    if (auto missed = missed_limit_in(name, objective, found->second)) return missed;
  }
  return std::nullopt;
}

}  // namespace grader
