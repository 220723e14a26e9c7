#include "lab/workload.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lab/distribution.hpp"
#include "lab/similar_calls.hpp"

#define WARPGRADE_WORKLOAD(name) \
  namespace grader::name {       \
  const Workload& workload();    \
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
#define WARPGRADE_WORKLOAD(name) {#name, name::workload},
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
  const auto& summable = summable_distributions();
  const auto infinite = workload.infinite_distributions(one_case.entry);
  if (std::find(summable.begin(), summable.end(), one_case.distribution) == summable.end() &&
      std::find(infinite.begin(), infinite.end(), one_case.distribution) == infinite.end())
    return fmt::format("the distribution is \"{}\", whose sums are infinite, when they should be finite",
                       one_case.distribution);
  return workload.further_problem(one_case);
}

Case earlier_case(const Case& one_case, std::size_t index) {
  Case earlier = one_case;
  earlier.earlier_calls.clear();
  for (const auto& [name, value] : one_case.earlier_calls.at(index)) earlier.workload[name] = value;
  earlier.seed += index + 1;  // other values: a result of this call must differ from that of the case
  return earlier;
}

Case case_of_function(const Case& one_case, const std::string& entry) {
  Case other = one_case;
  other.other_function.clear();
  other.entry = entry;
  ++other.seed;
  return other;
}

namespace {

/// Numbers keep their values, and so do arrays in host memory next to arrays in device memory: the host may
/// decide by its own arguments there.
void keep_host_values(std::vector<harness::Input>& inputs, const std::vector<harness::Input>& of_case,
                      bool keeps_arrays) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (is_number(inputs[i]) || (keeps_arrays && inputs[i].place == harness::Place::host))
      inputs[i].values = of_case[i].values;
}

}  // namespace

Expected<harness::Job, std::string> make_job(const Lab& lab, const Case& one_case) {
  const Workload& workload = *find_workload(lab.workload);
  if (auto problem = problem_with(workload, one_case)) return Unexpected{*std::move(problem)};
  harness::Job job = workload.job(one_case);
  job.adapter = lab.workload;
  job.entry = one_case.entry;
  job.may_fail = one_case.may_fail;
  job.scalars.insert(one_case.workload.begin(), one_case.workload.end());
  for (std::size_t i = 0; i < one_case.earlier_calls.size(); ++i) {
    auto earlier = make_job(lab, earlier_case(one_case, i));
    if (!earlier) return Unexpected{earlier.error()};
    job.earlier.push_back(
        {std::move(earlier->scalars), std::move(earlier->inputs), std::move(earlier->outputs)});
  }
  if (!job.earlier.empty()) add_similar_calls(job, workload, one_case);
  if (!one_case.other_function.empty())
    if (auto problem = add_other_function(job, workload, one_case)) return Unexpected{*std::move(problem)};
  return job;
}

harness::Job with_other_values(const Lab& lab, const Case& one_case, const harness::Job& job) {
  // Results then differ also where the case's values leave little choice.
  Case other_case = with_plain_values(*find_workload(lab.workload), one_case);
  other_case.seed += 2 * kOtherSeed;
  harness::Job other = *make_job(lab, other_case);
  const bool keeps_arrays = harness::has_device_inputs(job);
  keep_host_values(other.inputs, job.inputs, keeps_arrays);
  for (std::size_t i = 0; i < other.earlier.size(); ++i)
    keep_host_values(other.earlier[i].inputs, job.earlier[i].inputs, keeps_arrays);
  return other;
}

std::filesystem::path baseline_source(const std::string& workload) {
  return std::filesystem::path("grader") / "workloads" / workload / "naive.cu";
}

}  // namespace grader
