#include "lab/change_counters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "harness/elements.hpp"

namespace grader {
namespace {

using vgpu::Scaled;

/// What `of(value, scaled)` is at least for all elements but a part of them; 0 if none shows anything.
double least_without(double part, const std::vector<Array>& right, const std::vector<Array>& with_scaled,
                     double (*of)(double value, double scaled)) {
  if (right.size() != with_scaled.size()) return 0;
  std::vector<double> all;
  for (std::size_t a = 0; a < right.size(); ++a) {
    if (right[a].values.size() != with_scaled[a].values.size()) return 0;
    for (std::size_t i = 0; i < right[a].values.size(); ++i) {
      const float value = right[a].values[i], scaled = with_scaled[a].values[i];
      if (value == 0 || !std::isfinite(value)) continue;
      all.push_back(harness::is_poison(scaled) ? 0 : of(value, scaled));
    }
  }
  if (all.empty()) return 0;
  const auto least = all.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(all.size()));
  std::nth_element(all.begin(), least, all.end());
  return *least;
}

constexpr double kTenth = 0.1, kHalf = 0.5, kNineTenths = 0.9;

double change_of(double value, double scaled) {
  const double change = std::abs((scaled - value) / value);
  return std::isfinite(change) ? std::min(change, 1.0) : 1.0;
}

constexpr auto kTable = std::to_array<ChangeCounter>({
    {"change_by_shared_loads",
     "how much the results change if every float that a thread loads from shared memory, and another thread "
     "stored, is multiplied by a power of two of the two threads, as a multiple of the results: nine of ten "
     "elements change by at least this much, and more than 1 counts as 1. 0: the results do not depend on "
     "such values. If the program fails with the other values, only floats below 1 are changed, so that "
     "indices remain right. Elements that it does not store then count as unchanged, all if it fails again: "
     "to check a value is not to compute with it. Powers of two are not changed, so that a factor of 1 "
     "counts "
     "for nothing. Measured only in cases whose objectives use the counter",
     "the results are computed from other values: with other floats in shared memory, where one thread "
     "stored them and another loaded them, the results would be the same",
     Scaled::shared_memory, Scaled::shared_memory_below_1, least_change},
    {"change_by_exchanges", "the same for floats that a lane gets from another one with a shuffle",
     "the results are computed from other values: if the shuffles returned other floats, the results would "
     "be the same",
     Scaled::exchanges, Scaled::exchanges_below_1, least_change},
    {"change_by_constant_loads",
     "the same if every float that a thread loads from constant memory is multiplied by 2, or by 4 if its "
     "fraction is at least 1.5 (as that of 3, 6 and 0.75). Elements that change by a power of two exactly "
     "count "
     "as unchanged: a constant of 1, or one constant for all, is a factor for show",
     "the results are computed from other values: with other floats in constant memory, the results would be "
     "the same",
     Scaled::constant_loads, Scaled::constant_loads_below_1, least_uneven_change},
    {"change_by_votes",
     "how much the results change if half of the lanes are missing in the masks that votes return (ballot, "
     "match), and x that a lane gets from another one, or by a sum of the warp, becomes 2 x + 1; masks that "
     "name the lanes of a later vote, shuffle or barrier stay the same: a tenth of the elements change by at "
     "least this much. 0: the votes are for show",
     "the results are computed in another way: if the votes returned other lanes, the results would be the "
     "same",
     Scaled::votes, Scaled::votes, change_of_a_tenth},
    {"factors_from_shared_memory",
     "how many factors of the results are shared by threads through shared memory: how many times half of "
     "the elements double at least if every float that a thread loads from shared memory, and another thread "
     "stored, is doubled, except for the first such thread that loads it. Nearly 2 for sums of products of "
     "two floats that many threads use, more if sums pass through shared memory, too; at most 1 if one of "
     "the two factors comes from elsewhere, or if a thread stores it for one other thread only",
     "fewer factors of the results are shared by threads through shared memory than the task asks for: with "
     "doubled floats there, the results would be larger, but not by as much",
     Scaled::shared_loads, Scaled::shared_loads_below_1, median_doublings},
});

}  // namespace

std::span<const ChangeCounter> change_counter_table() { return kTable; }

const ChangeCounter* find_change_counter(std::string_view name) {
  const auto* found =
      std::find_if(kTable.begin(), kTable.end(), [&](const ChangeCounter& one) { return one.name == name; });
  return found == kTable.end() ? nullptr : found;
}

std::string change_counter_markdown() {
  std::string text = "## where results come from\n\n| counter | counts |\n|---|---|\n";
  for (const ChangeCounter& one : kTable)
    text += "| `" + std::string(one.name) + "` | " + std::string(one.definition) + " |\n";
  return text;
}

std::vector<ChangeCounter> change_counters_of(const Lab& lab, const std::string& case_name) {
  const auto uses = [&](const Objective& objective, std::string_view counter) {
    const bool is_related = std::any_of(objective.related.begin(), objective.related.end(),
                                        [&](const ShownCounter& one) { return one.counter == counter; });
    if (objective.case_name == case_name) return objective.counter == counter || is_related;
    return objective.counter == counter &&
           std::any_of(objective.elsewhere.begin(), objective.elsewhere.end(), [&](const Elsewhere& one) {
             return std::find(one.cases.begin(), one.cases.end(), case_name) != one.cases.end();
           });
  };
  std::vector<ChangeCounter> used;
  for (const ChangeCounter& counter : kTable)
    if (std::any_of(lab.tasks.begin(), lab.tasks.end(), [&](const Task& task) {
          return std::any_of(task.objectives.begin(), task.objectives.end(),
                             [&](const Objective& one) { return uses(one, counter.name); });
        }))
      used.push_back(counter);
  return used;
}

double least_change(const std::vector<Array>& right, const std::vector<Array>& with_scaled) {
  return least_without(kTenth, right, with_scaled, change_of);
}

double least_uneven_change(const std::vector<Array>& right, const std::vector<Array>& with_scaled) {
  return least_without(kTenth, right, with_scaled, [](double value, double scaled) {
    const double doublings = std::log2(scaled / value);
    const bool is_even = std::abs(doublings - std::round(doublings)) < 1e-4;
    return is_even ? 0.0 : change_of(value, scaled);
  });
}

double change_of_a_tenth(const std::vector<Array>& right, const std::vector<Array>& with_changed) {
  return least_without(kNineTenths, right, with_changed, change_of);
}

double median_doublings(const std::vector<Array>& right, const std::vector<Array>& with_scaled) {
  return least_without(kHalf, right, with_scaled, [](double value, double scaled) {
    const double doublings = std::log2(std::abs(scaled / value));
    return std::isfinite(doublings) ? std::max(doublings, 0.0) : 0.0;
  });
}

}  // namespace grader
