#include "profile/run_profile.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "lab/counter_names.hpp"
#include "profile/access_picture.hpp"
#include "profile/divergence.hpp"
#include "report/exactness.hpp"
#include "report/numbers.hpp"
#include "report/timeline_svg.hpp"

namespace grader {
namespace {

template <class Limited>
std::string limit_of(const Limited& objective) {
  return bounds_text(objective.counter, objective.at_least, objective.at_most);
}

/// A file name from a kernel's name, which the program chose.
std::string file_name_of(const std::string& kernel) {
  constexpr std::size_t kMost = 40;
  std::string name;
  for (const char c : kernel.substr(0, kMost)) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    name += is_plain ? c : '-';
  }
  return name.empty() ? "kernel" : name;
}

// A guard at the edge of a grid diverges in a few warps, and an array's last request moves fewer bytes: a
// value that is closer to its ideal is as good as that.
constexpr double kCloseEnough = 0.05;

Measure per_request(const std::string& name, const AccessSum& sum) {
  const auto executions = static_cast<double>(sum.executions);
  const double yours = static_cast<double>(sum.cost) / executions;
  const double ideal = static_cast<double>(sum.ideal) / executions;
  return {name, value_text(yours), value_text(ideal), yours <= (1 + kCloseEnough) * ideal};
}

}  // namespace

void describe(RunProfile& profile, const std::vector<DeviceRun>& others, const FindSource& find_source,
              const FindArray& find_array) {
  profile.kernels = kernel_facts(profile.run.programs, find_source, find_array);
  profile.exactness = exactness_lines(profile.run.programs);
  profile.rooflines = {roofline(profile.run.device, profile.kernels)};
  const FindSource no_source = [](const std::string&) { return SourceText{}; };
  for (const DeviceRun& other : others)
    profile.rooflines.push_back(roofline(other.device, kernel_facts(other.programs, no_source)));
}

std::vector<ComparedCounter> compared_counters(const Lab& lab, const Score& score,
                                               const std::string& case_name) {
  const auto counters = score.counters.find(case_name);
  std::vector<ComparedCounter> compared;
  if (counters == score.counters.end()) return compared;
  const auto add = [&](const std::string& counter, double naive, double solution, std::string limit) {
    const auto value = counters->second.find(counter);
    if (value != counters->second.end())
      compared.push_back({counter_words(counter), counter_text(counter, value->second),
                          counter_text(counter, naive), counter_text(counter, solution), std::move(limit)});
  };
  std::set<std::string> seen;
  for (const Task& task : lab.tasks) {
    for (const Objective& objective : task.objectives) {
      if (objective.case_name != case_name || !seen.insert(objective.counter).second) continue;
      add(objective.counter, objective.naive, objective.solution, limit_of(objective));
      for (const ShownCounter& shown : objective.related)
        if (seen.insert(shown.counter).second)
          add(shown.counter, shown.naive, shown.solution, limit_of(shown));
    }
  }
  return compared;
}

std::vector<Measure> measures_of(const KernelFacts& kernel) {
  std::vector<Measure> rows;
  const auto add = [&](const std::string& name, const AccessSum& sum) {
    if (sum.executions != 0) rows.push_back(per_request(name, sum));
  };
  add("sectors per global load", kernel.global.loads);
  add("sectors per global store", kernel.global.stores);
  add("wavefronts per shared load", kernel.shared.loads);
  add("wavefronts per shared store", kernel.shared.stores);
  const vgpu::Counters& counters = kernel.longest.counters;
  if (counters.warp_instructions != 0) {
    const double lanes =
        static_cast<double>(counters.thread_instructions) / static_cast<double>(counters.warp_instructions);
    rows.push_back({"active lanes per instruction", value_text(std::round(100 * lanes) / 100), "32",
                    lanes >= (1 - kCloseEnough) * 32});
  }
  if (counters.branches != 0) {
    const double share =
        100 * static_cast<double>(counters.divergent_branches) / static_cast<double>(counters.branches);
    rows.push_back({"divergent branches", value_text(share) + " %", "0 %", share <= 100 * kCloseEnough});
  }
  const std::uint64_t local = counters.local_loads.requests + counters.local_stores.requests;
  if (local != 0) rows.push_back({"local memory requests", count_text(local), "0", false});
  return rows;
}

std::vector<std::pair<std::string, std::string>> profile_pictures(const RunProfile& profile) {
  std::vector<std::pair<std::string, std::string>> pictures;
  const auto add = [&](const std::string& name, std::string document) {
    if (document.empty()) return;
    const auto is_taken = [&](const std::string& one) {
      return std::any_of(pictures.begin(), pictures.end(),
                         [&](const auto& known) { return known.first == one; });
    };
    std::string free = name + ".svg";
    for (int i = 2; is_taken(free); ++i) free = fmt::format("{}-{}.svg", name, i);
    pictures.emplace_back(std::move(free), std::move(document));
  };
  for (const KernelFacts& kernel : profile.kernels) {
    const std::string name = file_name_of(kernel.name);
    for (const NamedAccess* site : chosen_accesses(kernel, profile.choice))
      add(fmt::format("{}-access-{}", name, site->line),
          access_svg(*site, chosen_execution(*site, profile.choice)));
    add(name + "-divergence", divergence_svg(kernel));
  }
  for (const Roofline& one : profile.rooflines)
    add("roofline-" + file_name_of(one.device), roofline_svg(one));
  const bool has_timeline = std::any_of(profile.run.programs.begin(), profile.run.programs.end(),
                                        [](const auto& program) { return !program.timeline.empty(); });
  if (has_timeline) add("timeline", timeline_svg(profile.run.programs, profile.run.device));
  return pictures;
}

}  // namespace grader
