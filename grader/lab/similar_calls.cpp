#include "lab/similar_calls.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/random.hpp"

namespace grader {
namespace {

/// The number of elements of each input in which an almost equal call differs.
constexpr std::size_t kFewElements = 3;

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

/// Of the inputs. Not for NaN.
bool have_equal_values(const harness::Job& a, const harness::Job& b) {
  return std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
                    [](const auto& one, const auto& other) { return one.values == other.values; });
}

/// Calls that differ from the checked call in one number only. A parameter that changes sizes or values is
/// none of the function's numbers. That is decided with plain values: a job with other values has the same
/// calls.
EarlierCalls calls_with_one_other_number(const harness::Job& job, const Workload& workload,
                                         const Case& one_case) {
  Case plain = with_plain_values(workload, one_case);
  plain.seed = kOtherSeed;
  const harness::Job before = workload.job(plain);
  EarlierCalls calls;
  for (const auto& [name, value] : plain.workload) {
    Case changed = plain;
    changed.workload[name] = value + 1;
    if (problem_with(workload, changed)) continue;
    harness::Job after = workload.job(changed);
    if (!have_equal_arguments(after, before) || !have_equal_values(after, before)) continue;
    after.scalars.insert(changed.workload.begin(), changed.workload.end());
    calls.push_back(call_with(job, harness::EarlierCall::Values::almost_equal));
    calls.back().scalars = std::move(after.scalars);
  }
  return calls;
}

}  // namespace

Case with_plain_values(const Workload& workload, Case one_case) {
  for (const char* distribution : {"uniform", "integers"}) {
    one_case.distribution = distribution;
    if (!problem_with(workload, one_case)) break;
  }
  return one_case;
}

bool is_number(const harness::Input& input) {
  return input.place == harness::Place::host && input.values.size() == 1;
}

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

}  // namespace grader
