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

Case earlier_case(const Case& one_case, std::size_t index) {
  Case earlier = one_case;
  earlier.earlier_calls.clear();
  for (const auto& [name, value] : one_case.earlier_calls.at(index)) earlier.workload[name] = value;
  earlier.seed += index + 1;  // other values: a result of this call must differ from that of the case
  return earlier;
}

Expected<harness::Job, std::string> make_job(const Lab& lab, const Case& one_case) {
  const Workload& workload = *find_workload(lab.workload);
  if (auto problem = problem_with(workload, one_case)) return Unexpected{*std::move(problem)};
  harness::Job job = workload.job(one_case);
  job.adapter = lab.workload;
  job.entry = one_case.entry;
  job.scalars.insert(one_case.workload.begin(), one_case.workload.end());
  for (std::size_t i = 0; i < one_case.earlier_calls.size(); ++i) {
    auto earlier = make_job(lab, earlier_case(one_case, i));
    if (!earlier) return Unexpected{earlier.error()};
    job.earlier.push_back(
        {std::move(earlier->scalars), std::move(earlier->inputs), std::move(earlier->outputs)});
  }
  return job;
}

std::filesystem::path baseline_source(const std::string& workload) {
  return std::filesystem::path("grader") / "workloads" / workload / "naive.cu";
}

}  // namespace grader
