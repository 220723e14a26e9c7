#include "lab/workload.hpp"

#include <fmt/format.h>

#define WARPGRADE_WORKLOAD(name)     \
  namespace grader {                 \
  const Workload& name##_workload(); \
  }
#include "registered_workloads.inc"
#undef WARPGRADE_WORKLOAD

namespace grader {
namespace {

struct Entry {
  std::string name;
  const Workload& (*workload)();
};

const std::vector<Entry>& all_workloads() {
  static const std::vector<Entry> entries{
#define WARPGRADE_WORKLOAD(name) {#name, name##_workload},
#include "registered_workloads.inc"
#undef WARPGRADE_WORKLOAD
  };
  return entries;
}

}  // namespace

const Workload* find_workload(const std::string& name) {
  for (const Entry& entry : all_workloads())
    if (entry.name == name) return &entry.workload();
  return nullptr;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Entry& entry : all_workloads()) names.push_back(entry.name);
  return names;
}

std::optional<std::string> problem_with(const Workload& workload, const Case& one_case) {
  for (const Parameter& parameter : workload.parameters()) {
    if (!parameter.is_for(one_case.entry)) continue;
    const auto& [name, least, most, entries, otherwise] = parameter;
    const auto value = one_case.workload.find(name);
    if (value == one_case.workload.end()) return name + " is missing";
    if (value->second < least)
      return fmt::format("{} is {} when it should be at least {}", name, value->second, least);
    if (value->second > most)
      return fmt::format("{} is {} when it should be at most {}", name, value->second, most);
  }
  return workload.further_problem(one_case);
}

Expected<harness::Job, std::string> make_job(const Lab& lab, const Case& one_case) {
  const Workload& workload = *find_workload(lab.workload);
  if (auto problem = problem_with(workload, one_case)) return Unexpected{*std::move(problem)};
  harness::Job job = workload.job(one_case);
  job.adapter = lab.workload;
  job.entry = one_case.entry;
  job.scalars.insert(one_case.workload.begin(), one_case.workload.end());
  return job;
}

std::filesystem::path baseline_source(const std::string& workload) {
  return std::filesystem::path("grader") / "workloads" / workload / "naive.cu";
}

}  // namespace grader
