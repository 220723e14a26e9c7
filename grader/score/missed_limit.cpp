#include "score/missed_limit.hpp"

#include "lab/counter_names.hpp"

namespace grader {
namespace {

/// Whether the greatest value of the counter, also as a ratio, includes atomics.
bool has_atomics(const std::string& counter) {
  return counter_of_atomics(counter.substr(0, counter.find("_per_"))).has_value();
}

std::optional<MissedLimit> miss_of(const ShownCounter& limited,
                                   const std::map<std::string, double>& counters) {
  const auto value = counters.find(limited.counter);
  if (value == counters.end()) return std::nullopt;
  if (!limited.met_by(value->second)) return MissedLimit{limited, value->second};
  const auto most = counters.find(kMostPrefix + limited.counter);
  if (most == counters.end() || limited.met_by(most->second)) return std::nullopt;
  return MissedLimit{limited, most->second, has_atomics(limited.counter) ? most->second - value->second : 0};
}

}  // namespace

std::optional<MissedLimit> missed_limit(const Objective& objective,
                                        const std::map<std::string, double>& counters) {
  const ShownCounter own{objective.counter, objective.naive, objective.solution, objective.at_most,
                         objective.at_least};
  if (auto missed = miss_of(own, counters)) return missed;
  for (const ShownCounter& shown : objective.related)
    if (auto missed = miss_of(shown, counters)) return missed;
  return std::nullopt;
}

}  // namespace grader
