#include "lab/similar_calls.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
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

/// Exchanges two neighbours, but not the first or the last element: sums, extremes and other values in which
/// the order of elements does not matter stay as they are.
void exchange_neighbours(std::span<float> values) {
  for (std::size_t i = 1; i + 2 < values.size(); ++i) {
    if (values[i] == values[i + 1]) continue;
    std::swap(values[i], values[i + 1]);
    return;
  }
}

/// Calls that differ from the checked call in the order of one input's elements only.
EarlierCalls calls_with_one_other_order(const harness::Job& job) {
  EarlierCalls calls;
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {
    if (is_number(job.inputs[i])) continue;
    auto& one = calls.emplace_back(call_with(job, harness::EarlierCall::Values::almost_equal));
    exchange_neighbours(one.inputs[i].values);
  }
  return calls;
}

template <class Array>
bool fits(const std::vector<Array>& arrays, const std::vector<Array>& into) {
  return std::equal(arrays.begin(), arrays.end(), into.begin(), into.end(),
                    [](const Array& a, const Array& b) {
                      return element_count(a.shape) <= element_count(b.shape) && a.place == b.place;
                    });
}

/// Calls with other numbers than the checked call. They are chosen with plain values: a job with other values
/// has the same calls.
class OtherNumbers {
 public:
  OtherNumbers(const harness::Job& job, const Workload& workload, const Case& one_case)
      : job_(job), workload_(workload), case_(one_case), plain_(with_plain_values(workload, one_case)) {
    plain_.seed = kOtherSeed;
    plain_job_ = workload.job(plain_);
  }

  /// Each differs in one number, or in two that are exchanged: their sum, product, … stays as it is.
  EarlierCalls calls() const {
    EarlierCalls calls;
    std::vector<std::string> sizes;
    for (const auto& [name, value] : plain_.workload) {
      auto call = first_valid({{{name, value / 2}}, {{name, value - 1}}, {{name, value + 1}}});
      if (!call) continue;
      const bool is_size = call->values == harness::EarlierCall::Values::other;
      // What is kept from half of a size is too small. Almost all of it often needs equally many blocks. Of
      // other numbers, twice the number is the one that needs fewer threads or segments.
      if (is_size) sizes.push_back(name);
      auto further = call_with_numbers({{name, is_size ? value - 1 : 2 * value}});
      if (is_size || !further) calls.push_back(*std::move(call));
      if (further) calls.push_back(*std::move(further));
    }
    for (const std::string& size : sizes)
      for (const auto& [name, value] : plain_.workload) {
        const bool comes_twice = name <= size && std::find(sizes.begin(), sizes.end(), name) != sizes.end();
        const std::int64_t other = plain_.workload.at(size);
        if (comes_twice || value == other) continue;
        if (auto exchanged = call_with_numbers({{name, other}, {size, value}}))
          calls.push_back(*std::move(exchanged));
      }
    return calls;
  }

  /// With all sizes halved, in the checked call's arrays.
  std::optional<harness::EarlierCall> smaller_call() const {
    Numbers halves;
    for (const auto& [name, value] : plain_.workload) {
      const auto one = call_with_numbers({{name, value / 2}});
      if (one && one->values == harness::EarlierCall::Values::other) halves[name] = value / 2;
    }
    if (halves.empty()) return std::nullopt;
    auto call = call_with_numbers(halves);
    if (!call || !fits(call->inputs, job_.inputs) || !fits(call->outputs, job_.outputs)) return std::nullopt;
    call->values = harness::EarlierCall::Values::smaller;
    return call;
  }

 private:
  using Numbers = std::map<std::string, std::int64_t>;

  std::optional<harness::EarlierCall> first_valid(std::initializer_list<Numbers> choices) const {
    for (const Numbers& numbers : choices)
      if (auto call = call_with_numbers(numbers)) return call;
    return std::nullopt;
  }

  static Case changed(Case one_case, const Numbers& numbers) {
    for (const auto& [name, value] : numbers) one_case.workload[name] = value;
    return one_case;
  }

  /// nullopt: the case would not be valid, or only its values would differ, so that the number is none of the
  /// function's.
  std::optional<harness::EarlierCall> call_with_numbers(const Numbers& numbers) const {
    const Case plain = changed(plain_, numbers);
    if (problem_with(workload_, plain)) return std::nullopt;
    harness::Job other = workload_.job(plain);
    if (have_equal_arguments(other, plain_job_)) {
      if (!have_equal_values(other, plain_job_)) return std::nullopt;
      harness::EarlierCall call = call_with(job_, harness::EarlierCall::Values::almost_equal);
      call.scalars = std::move(other.scalars);
      call.scalars.insert(plain.workload.begin(), plain.workload.end());
      return call;
    }
    Case own = changed(case_, numbers);
    own.seed += 4 * kOtherSeed;
    if (!problem_with(workload_, own)) other = workload_.job(own);
    other.scalars.insert(plain.workload.begin(), plain.workload.end());
    return harness::EarlierCall{std::move(other.scalars), std::move(other.inputs), std::move(other.outputs)};
  }

  const harness::Job& job_;
  const Workload& workload_;
  const Case& case_;
  Case plain_;
  harness::Job plain_job_;
};

}  // namespace

Case with_plain_values(const Workload& workload, Case one_case) {
  for (const char* distribution : {"uniform", "integers"}) {
    one_case.distribution = distribution;
    if (!problem_with(workload, one_case)) break;
  }
  return one_case;
}

bool is_number(const harness::Input& input) { return input.shape.empty(); }

void add_similar_calls(harness::Job& job, const Workload& workload, const Case& one_case) {
  using CallValues = harness::EarlierCall::Values;
  harness::EarlierCall almost = almost_equal_call(job, workload, one_case);
  // What a program keeps by sizes or by some elements, it keeps from a call on other arrays, before or after
  // the calls on the checked call's arrays; what it keeps by address, from the last call. None of these is
  // a call with equal values: its results would be right for the checked call.
  harness::EarlierCall elsewhere = almost;
  elsewhere.values = CallValues::almost_equal_elsewhere;
  const harness::EarlierCall equal = call_with(job, CallValues::equal_elsewhere);
  const EarlierCalls of_case = std::exchange(job.earlier, {});
  const auto add_all = [&](const EarlierCalls& calls) {
    job.earlier.insert(job.earlier.end(), calls.begin(), calls.end());
  };
  // Nor has the first call the checked call's numbers, because a program can keep what follows from them.
  std::copy_if(of_case.begin(), of_case.end(), std::back_inserter(job.earlier),
               [&](const harness::EarlierCall& one) {
                 return !harness::shares_arrays(one, job) || one.scalars != job.scalars;
               });
  // A program that keeps the results of all calls, or the first of them, and recognises a call by a part of
  // its arguments, finds one of these before that of the equal call.
  const bool has_other_sizes = !of_case.empty() && of_case.front().scalars != job.scalars;
  const OtherNumbers others(job, workload, one_case);
  const EarlierCalls numbers = has_other_sizes ? others.calls() : EarlierCalls{};
  const EarlierCalls inputs = calls_with_one_other_input(job, workload, one_case);
  const EarlierCalls orders = calls_with_one_other_order(job);
  add_all(numbers);
  job.earlier.push_back(elsewhere);
  add_all(inputs);
  add_all(orders);
  // A program whose buffer, grid or result is always that of the previous call fails where the previous call
  // had other sizes or values, or launches nothing where it had the same.
  for (const harness::EarlierCall& one : of_case) job.earlier.insert(job.earlier.end(), {one, equal});
  // A program that keeps something of the latest call only, and recognises a call by a part of its arguments,
  // must keep it from the call with one difference: the call before that has nothing in common with both.
  const auto add_before_equal = [&](const harness::EarlierCall& one) {
    if (has_other_sizes) job.earlier.push_back(of_case.front());
    job.earlier.insert(job.earlier.end(), {one, equal});
  };
  std::for_each(numbers.begin(), numbers.end(), add_before_equal);
  if (!inputs.empty())
    for (const harness::EarlierCall& one : {inputs.front(), inputs.back()}) add_before_equal(one);
  std::for_each(orders.begin(), orders.end(), add_before_equal);
  job.earlier.push_back(equal);
  // Other sizes, then other values: what a program keeps by size is then not the equal call's result.
  add_all(of_case);
  job.earlier.push_back(std::move(elsewhere));
  if (has_other_sizes)
    if (auto smaller = others.smaller_call()) job.earlier.push_back(*std::move(smaller));
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
