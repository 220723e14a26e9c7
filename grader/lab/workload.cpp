#include "lab/workload.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/random.hpp"
#include "lab/distribution.hpp"

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
  const auto infinite = workload.infinite_distributions();
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

/// The number of elements of each input in which an almost equal call differs.
constexpr std::size_t kFewElements = 3;
/// Added to a case's seed, for values that no call of the case has.
constexpr std::uint64_t kOtherSeed = std::uint64_t{1} << 40U;

/// Replaces a few elements by those of `others` in the same places: not the first or the last element, which
/// a program could compare, unless there are no others.
void replace_few(std::span<float> values, std::span<const float> others, SplitMix64& random) {
  const std::size_t edge = values.size() > 2 ? 1 : 0, count = values.size() - 2 * edge;
  if (values.empty()) return;
  const std::size_t start = random.below(count);
  std::size_t replaced = 0;
  for (std::size_t i = 0; i < count && replaced < kFewElements; ++i) {
    const std::size_t at = edge + (start + i * ((count / kFewElements) | 1U)) % count;
    if (values[at] == others[at]) continue;
    values[at] = others[at];
    ++replaced;
  }
}

harness::EarlierCall call_with(const harness::Job& job, harness::EarlierCall::Values values) {
  return {job.scalars, job.inputs, job.outputs, values};
}

/// Whether the function takes the input as a number, not as an array.
bool is_number(const harness::Input& input) {
  return input.place == harness::Place::host && input.values.size() == 1;
}

/// A call with almost the values of the checked call. Numbers are equal: what a program keeps for each factor
/// or threshold must not be renewed for the checked call.
harness::EarlierCall almost_equal_call(const harness::Job& job, const Workload& workload, Case one_case) {
  one_case.seed += kOtherSeed;
  SplitMix64 random(one_case.seed);
  const harness::Job other = workload.job(one_case);
  harness::EarlierCall almost = call_with(job, harness::EarlierCall::Values::almost_equal);
  for (std::size_t i = 0; i < almost.inputs.size(); ++i)
    if (!is_number(job.inputs[i])) replace_few(almost.inputs[i].values, other.inputs[i].values, random);
  return almost;
}

/// Whether one adapter can call both functions with its arrays.
bool have_equal_arguments(const harness::Job& a, const harness::Job& b) {
  const auto equal = [](const auto& one, const auto& other) {
    return one.shape == other.shape && one.element == other.element;
  };
  return std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(), equal) &&
         std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(), equal);
}

using EarlierCalls = std::vector<harness::EarlierCall>;

/// Calls that differ from the checked call in one input only, in its first or in its second half.
EarlierCalls calls_with_one_other_input(const harness::Job& job, const Workload& workload, Case one_case) {
  one_case.seed += 3 * kOtherSeed;
  SplitMix64 random(one_case.seed);
  const harness::Job other = workload.job(one_case);
  EarlierCalls calls;
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {
    const std::size_t size = job.inputs[i].values.size(), half = size / 2;
    for (const auto& [start, count] : {std::pair(std::size_t{0}, half), std::pair(half, size - half)}) {
      if (count == 0) continue;
      auto& one = calls.emplace_back(call_with(job, harness::EarlierCall::Values::almost_equal));
      replace_few(std::span(one.inputs[i].values).subspan(start, count),
                  std::span(other.inputs[i].values).subspan(start, count), random);
    }
  }
  return calls;
}

bool have_equal_values(const harness::Job& a, const harness::Job& b) {
  return std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
                    [](const auto& one, const auto& other) { return one.values == other.values; });
}

/// Calls that differ from the checked call in one number only. A parameter that changes sizes or values is
/// none of the function's numbers.
EarlierCalls calls_with_one_other_number(const harness::Job& job, const Workload& workload,
                                         const Case& one_case) {
  EarlierCalls calls;
  for (const auto& [name, value] : one_case.workload) {
    Case changed = one_case;
    changed.workload[name] = value + 1;
    if (problem_with(workload, changed)) continue;
    harness::Job with_number = workload.job(changed);
    if (!have_equal_arguments(with_number, job) || !have_equal_values(with_number, job)) continue;
    with_number.scalars.insert(changed.workload.begin(), changed.workload.end());
    calls.push_back(call_with(job, harness::EarlierCall::Values::almost_equal));
    calls.back().scalars = std::move(with_number.scalars);
  }
  return calls;
}

/// A program that keeps anything between calls can recognise what it keeps by an array's address, its size or
/// some of its elements. None of them shows that a call's inputs are those of another call. If all elements
/// are equal, the result must be equal, too.
void add_similar_calls(harness::Job& job, const Workload& workload, const Case& one_case) {
  using CallValues = harness::EarlierCall::Values;
  harness::EarlierCall almost = almost_equal_call(job, workload, one_case);
  // What a program keeps by sizes or by some elements, it keeps from a call on other arrays, before or after
  // the calls on the checked call's arrays; what it keeps by address, from the last call. None of these is
  // a call with equal values: its results would be right for the checked call.
  harness::EarlierCall elsewhere = almost;
  elsewhere.values = CallValues::almost_equal_elsewhere;
  const harness::EarlierCall equal = call_with(job, CallValues::equal_elsewhere);
  const std::vector<harness::EarlierCall> of_case = std::exchange(job.earlier, {});
  // Nor has the first call the checked call's numbers, because a program can keep what follows from them.
  std::copy_if(of_case.begin(), of_case.end(), std::back_inserter(job.earlier),
               [&](const harness::EarlierCall& one) {
                 return !harness::shares_arrays(one, job) || one.scalars != job.scalars;
               });
  job.earlier.push_back(elsewhere);
  // A program that keeps the results of all calls, and recognises a call by a part of its arguments, finds
  // one of these before that of the equal call.
  const EarlierCalls inputs = calls_with_one_other_input(job, workload, one_case);
  const EarlierCalls numbers = calls_with_one_other_number(job, workload, one_case);
  for (const auto* similar : {&inputs, &numbers})
    job.earlier.insert(job.earlier.end(), similar->begin(), similar->end());
  // A program whose buffer, grid or result is always that of the previous call fails where the previous call
  // had other sizes or values, or launches nothing where it had the same.
  const auto add_before_equal = [&](const harness::EarlierCall& one) {
    job.earlier.insert(job.earlier.end(), {one, equal});
  };
  std::for_each(of_case.begin(), of_case.end(), add_before_equal);
  std::for_each(numbers.begin(), numbers.end(), add_before_equal);
  if (!inputs.empty())
    for (const harness::EarlierCall& one : {inputs.front(), inputs.back()}) add_before_equal(one);
  job.earlier.push_back(equal);
  // Other sizes, then other values: what a program keeps by size is then not the equal call's result.
  job.earlier.insert(job.earlier.end(), of_case.begin(), of_case.end());
  job.earlier.push_back(std::move(elsewhere));
  job.earlier.push_back(std::move(almost));
}

/// The checked call's values come before, so that what a program keeps for these values is in the memory that
/// the other function uses, too.
std::optional<std::string> add_other_function(harness::Job& job, const Workload& workload,
                                              const Case& one_case) {
  const std::string& name = one_case.other_function;
  harness::Job other = workload.job(case_of_function(one_case, name));
  if (!have_equal_arguments(job, other))
    return fmt::format("other_function is \"{}\", which has other parameters than {}", name, job.entry);
  job.earlier.push_back(call_with(job, harness::EarlierCall::Values::equal_elsewhere));
  job.earlier.push_back({job.scalars, std::move(other.inputs), std::move(other.outputs),
                         harness::EarlierCall::Values::other, name});
  return std::nullopt;
}

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
  Case other_case = one_case;
  other_case.seed += 2 * kOtherSeed;
  // Results then differ also where the case's values leave little choice.
  for (const char* distribution : {"uniform", "integers"}) {
    other_case.distribution = distribution;
    if (!problem_with(*find_workload(lab.workload), other_case)) break;
  }
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
