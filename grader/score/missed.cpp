#include "score/missed.hpp"

#include "lab/counter_names.hpp"
#include "score/checks.hpp"
#include "score/limits.hpp"
#include "score/missed_limit.hpp"
#include "score/speed.hpp"

namespace grader {
namespace {

using Counters = std::map<std::string, double>;

/// A count that is too high has lines that contribute to it; one that is too low lacks them. Other counters
/// have clues of other kinds (judge/clues.hpp).
std::string counter_to_blame(const MissedLimit& missed, const Counters& counters,
                             const Counters& quantities) {
  const ShownCounter& limited = missed.limited;
  if (is_of_speed(limited.counter)) return busiest_part(counters);
  std::vector<std::string> names;
  for (const auto& [name, value] : quantities) names.push_back(name);
  const auto ratio = parse_ratio(limited.counter, names);
  const std::string counter = ratio ? ratio->above : limited.counter;
  const bool is_too_high = limited.at_most && missed.value > *limited.at_most;
  const bool has_clue = is_too_high || counter == "active_lanes_per_instruction" || is_of_launch(counter) ||
                        is_of_overlap(counter) || is_of_shared_values(counter);
  return has_clue ? counter : "";
}

}  // namespace

std::vector<Missed> missed_checks(const Lab& lab, const std::string& case_name, const Counters& counters,
                                  const std::optional<SpeedSamples>& speed, const Counters& quantities) {
  std::vector<Missed> missed;
  for (const Task& task : lab.tasks) {
    for (const Objective& one : task.objectives)
      if (const auto limit = missed_limit_in(case_name, one, counters))
        missed.push_back({clue_id(task, one, case_name), counter_to_blame(*limit, counters, quantities)});
    if (!speed || !task.speedup || task.speedup->virtual_case != case_name) continue;
    const SpeedThreshold& threshold = task.speedup->on_virtual;
    const Performance performance = measure_speedup(case_name, *speed, threshold);
    if (speed_fraction(performance.speedup, threshold) == 1) continue;
    const bool is_mostly_kernels = counters.at("kernel_s") >= 0.5 * performance.student_s;
    missed.push_back({speedup_id(task, case_name), is_mostly_kernels ? busiest_part(counters) : "call_s"});
  }
  return missed;
}

}  // namespace grader
