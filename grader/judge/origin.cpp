#include "judge/origin.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/radix_sort.hpp"
#include "harness/elements.hpp"
#include "judge/arrays.hpp"
#include "judge/host_problem.hpp"
#include "judge/patterns.hpp"
#include "judge/word_runs.hpp"

namespace grader {
namespace {

using harness::Element;
using harness::Job;
using harness::Words;
using vgpu::cudart::SentWords;

/// The number of values of its own that a program can send to the device: a table of a stencil's weights, a
/// structure of parameters.
constexpr std::size_t kOwnWords = 256;
/// The number of parameters that can differ from launch to launch: positions, halves of pointers.
constexpr std::size_t kOwnParameters = 4;
/// The number of runs (word_runs.hpp) in which values may be sent, and the number of parameters that may
/// change between launches; or one for this many values, if that is more.
constexpr std::size_t kRuns = 2048;
constexpr std::size_t kWordsPerRun = 8;
/// Whole numbers up to this are constants of programs: extents, weights, counts.
constexpr int kLargestConstant = 4096;

Words sorted(Words words) {
  radix_sort(words, [](std::uint32_t word) { return word; });
  return words;
}

Words without_repeats(Words words) {
  words = sorted(std::move(words));
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

bool is_among(const Words& sorted_words, std::uint32_t word) {
  return std::binary_search(sorted_words.begin(), sorted_words.end(), word);
}

/// Values that programs use without any input: neutral elements, small whole numbers, the contents of memory
/// that was never written.
bool is_constant(std::uint32_t word) {
  const auto value = std::bit_cast<float>(word);
  return harness::is_poison(value) || std::isinf(value) || std::fabs(value) == FLT_MAX || value == FLT_MIN ||
         (std::fabs(value) <= kLargestConstant && value == std::trunc(value)) ||
         word == static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
}

/// As a float it would be denormal.
bool is_small_integer(std::uint32_t word) {
  const auto value = static_cast<std::int32_t>(word);
  return -kLargestConstant <= value && value <= kLargestConstant;
}

/// The numbers that the function gets, and products of two, such as the number of pixels: a count can be
/// equal.
void add_sizes(Words& all, const harness::Scalars& scalars) {
  for (const auto& [name, size] : scalars) {
    all.push_back(static_cast<std::uint32_t>(size));
    for (const auto& [other_name, other] : scalars) all.push_back(static_cast<std::uint32_t>(size * other));
  }
}

Words input_words(const Job& job) {
  Words all;
  const auto add = [&](const std::vector<harness::Input>& inputs) {
    for (const harness::Input& input : inputs) {
      const Words words = harness::encoded(input.values, input.element);
      all.insert(all.end(), words.begin(), words.end());
    }
  };
  add(job.inputs);
  add_sizes(all, job.scalars);
  for (const harness::EarlierCall& one : job.earlier) {
    add(one.inputs);
    add_sizes(all, one.scalars);
  }
  return all;
}

/// Where the words are that the host computed itself: neither inputs nor constants, nor values that the
/// device had sent before.
std::vector<std::size_t> own_places(const SentWords& sent, const IndexedWords& inputs,
                                    const IndexedWords& fetched) {
  std::vector<std::size_t> own;
  std::size_t at = 0;
  for (const auto& piece : sent.pieces)
    for (; at < piece.end; ++at) {
      const std::uint32_t word = sent.words[at];
      if (is_constant(word) || inputs.has(word)) continue;
      const auto arrived = fetched.first(word);
      if (!arrived || *arrived >= piece.fetched) own.push_back(at);
    }
  return own;
}

Words own_words(const SentWords& sent, const IndexedWords& inputs, const IndexedWords& fetched) {
  Words own;
  for (const std::size_t place : own_places(sent, inputs, fetched)) own.push_back(sent.words[place]);
  return own;
}

struct Result {
  std::string name;
  Shape shape;
  Words words;  ///< by element
  bool is_float = true;
};

/// The values among `own` that are elements of the result.
struct Found {
  std::size_t different = 0;  ///< without repeats
  std::size_t of = 0;         ///< values of the result that could be found
  std::size_t element = 0;    ///< the first of them
};

Found find_in(const Result& result, const Words& own, const IndexedWords& inputs) {
  const Words sent = without_repeats(own);
  const auto is_sent = [&](std::uint32_t word) { return is_among(sent, word); };
  const auto can_be_found = [&](std::uint32_t word) {
    return !is_constant(word) && !is_small_integer(word) && !inputs.has(word);
  };
  // Honest programs end here: they send nothing of the result, so only few words are looked up.
  const auto first = std::find_if(result.words.begin(), result.words.end(),
                                  [&](std::uint32_t word) { return is_sent(word) && can_be_found(word); });
  if (first == result.words.end()) return {};
  Words values;
  std::copy_if(result.words.begin(), result.words.end(), std::back_inserter(values), can_be_found);
  values = without_repeats(std::move(values));
  const auto different = std::count_if(values.begin(), values.end(), is_sent);
  return {static_cast<std::size_t>(different), values.size(),
          static_cast<std::size_t>(first - result.words.begin())};
}

Diagnostic sent_result(const Result& result, const Found& found, const char* how) {
  return host_problem("WG-S27",
                      fmt::format("{} value{} that the host {} {} of the result, the first at {}",
                                  found.different, found.different == 1 ? "" : "s", how,
                                  found.different == 1 ? "is an element" : "are elements",
                                  element_name(result.name, result.shape, found.element)),
                      "the host computes a part of the result and passes it to the device",
                      "let kernels compute every element of the result from the inputs");
}

/// Parameters include halves of pointers and extents, so that a single equal value proves nothing there, and
/// integers are equal by chance even more often.
std::optional<Diagnostic> diagnose_sent(const Result& result, const Words& copied, const Words& passed,
                                        const IndexedWords& inputs) {
  const Found by_copy = find_in(result, copied, inputs);
  const std::size_t half = (by_copy.of + 1) / 2;
  if (by_copy.different > 0 && by_copy.different >= (result.is_float ? 1 : half))
    return sent_result(result, by_copy, "uploaded");
  const Found by_value = find_in(result, passed, inputs);
  const std::size_t few = std::min<std::size_t>(by_value.of, 2);
  if (by_value.different > 0 && by_value.different >= (result.is_float ? few : half))
    return sent_result(result, by_value, "passed as parameters");
  return std::nullopt;
}

std::size_t most_runs(std::size_t values) { return std::max(kRuns, values / kWordsPerRun); }

/// What the host has computed can be in the order of what it sends.
std::optional<Diagnostic> diagnose_order(const vgpu::cudart::TransferredWords& words,
                                         const IndexedWords& inputs, const IndexedWords& fetched) {
  if (!inputs.are_mostly_different()) return std::nullopt;
  const std::size_t limit = most_runs(inputs.words().size());
  const std::array sources = {&inputs, &fetched};
  // Each copy also has a destination.
  const std::size_t runs = count_runs(sources, words.to_device.words) + words.to_device.pieces.size();
  if (runs > limit)
    return host_problem(
        "WG-S27",
        fmt::format("the uploaded values are in {} runs of inputs and constants; the limit is {}", runs,
                    limit),
        "the host selects the inputs that make up the result, or encodes what it has computed",
        "upload the inputs in rows, columns or tiles, pad them with constants, and let kernels select");
  if (words.unforeseen_parameters > limit)
    return host_problem(
        "WG-S27",
        fmt::format("{} words of kernels' parameters are new: they do not follow from the kernel's launches "
                    "before; the limit is {}",
                    words.unforeseen_parameters, limit),
        "the host passes other values to each of many launches",
        "pass what is equal in all launches, or moves by the same distance each time, such as a pointer to "
        "the next segment; let kernels read other values from memory");
  return std::nullopt;
}

/// The host can also select among candidates that kernels have computed.
std::optional<Diagnostic> diagnose_selection(const Result& result, const IndexedWords& fetched) {
  const std::size_t limit = most_runs(result.words.size());
  const std::array sources = {&fetched};
  const std::size_t runs = count_runs(sources, result.words);
  if (runs <= limit || !IndexedWords(result.words).are_mostly_different()) return std::nullopt;
  return host_problem(
      "WG-S27",
      fmt::format("the result consists of {} runs of values that came from the device; the limit is {}", runs,
                  limit),
      "the host selects the elements of the result among several candidates",
      "let kernels compute the result, and copy it to the host in rows, columns or tiles");
}

/// Whether the result is a part of what was copied to the host, as it is.
bool is_part_of(const Result& result, const IndexedWords& fetched) {
  if (result.words.empty()) return true;
  const auto first = fetched.first(result.words.front());
  if (!first || fetched.words().size() - *first < result.words.size()) return false;
  return std::equal(result.words.begin(), result.words.end(),
                    fetched.words().begin() + static_cast<std::ptrdiff_t>(*first));
}

/// The device sent the numbers as floats, which have all integers that a result can have (harness::Element).
bool came_as_floats(const Words& integers, const IndexedWords& fetched) {
  return std::all_of(integers.begin(), integers.end(), [&](std::uint32_t word) {
    const auto value = static_cast<float>(static_cast<std::int32_t>(word));
    return fetched.has(std::bit_cast<std::uint32_t>(value));
  });
}

/// Every element must have been copied to the host, each as often as the result contains it.
std::optional<Diagnostic> diagnose_fetched(const Result& result, const IndexedWords& fetched) {
  if (is_part_of(result, fetched)) return std::nullopt;  // most programs; nothing needs to be sorted
  const Words needed = sorted(result.words), arrived = fetched.sorted();
  Words missing;
  std::set_difference(needed.begin(), needed.end(), arrived.begin(), arrived.end(),
                      std::back_inserter(missing));
  if (missing.empty() || (!result.is_float && came_as_floats(missing, fetched))) return std::nullopt;
  std::size_t first = 0;
  while (!is_among(missing, result.words[first])) ++first;
  return host_problem(
      "WG-S27",
      fmt::format("{} of {} elements of the result never came from the device, the first is {}",
                  missing.size(), result.words.size(), element_name(result.name, result.shape, first)),
      "the host computes these elements, or changes them after the copy from the device",
      "let kernels compute every element, and copy the result to the host unchanged");
}

Diagnostic changed_inputs(std::size_t count, std::size_t limit, const char* how) {
  return host_problem(
      "WG-S27",
      fmt::format("{} values {} are neither inputs nor constants; the limit is {}", count, how, limit),
      "the host computes with the inputs before it passes them to the device",
      "upload the inputs as they are, padded with constants if necessary, and let kernels do the arithmetic");
}

std::optional<Diagnostic> diagnose_own(const CaseRun& run, const Words& copied, const Words& passed) {
  if (copied.size() > kOwnWords) return changed_inputs(copied.size(), kOwnWords, "that went to the device");
  const std::size_t launches = run.session.launches.size() + run.session.launches_dropped;
  const std::size_t different = without_repeats(passed).size(), limit = kOwnWords + kOwnParameters * launches;
  if (different > limit) return changed_inputs(different, limit, "passed to kernels as parameters");
  return std::nullopt;
}

Diagnostic too_much() {
  return host_problem("WG-S27",
                      fmt::format("host and device exchange or share more than {} MiB during the call",
                                  vgpu::cudart::Transfers::kMaxBytes >> 20U),
                      "buffers are far larger than the data, or are copied again and again",
                      "allocate and copy what the case's size needs");
}

/// The words that came from the device during the checked call.
Words fetched_by_last_call(const vgpu::cudart::SessionReport& session) {
  const Words& all = session.words.to_host;
  const std::size_t before = session.calls.empty() ? 0 : session.calls.back().fetched_words;
  return {all.begin() + static_cast<std::ptrdiff_t>(std::min(before, all.size())), all.end()};
}

std::vector<Result> results_of(const CaseRun& run, const Job& job) {
  std::vector<Result> results;
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    const Array& output = run.answer.outputs.at(i);
    results.push_back({output.name, output.shape, harness::encoded(output.values, job.outputs[i].element),
                       job.outputs[i].element == Element::f32});
  }
  return results;
}

}  // namespace

std::vector<std::size_t> places_of_own_values(const CaseRun& run, const Job& job) {
  if (!is_on_host(job)) return {};
  const auto& words = run.session.words;
  return own_places(words.to_device, IndexedWords(input_words(job)), IndexedWords(words.to_host));
}

bool is_assembled(const CaseRun& run, const Job& job) {
  if (!is_on_host(job)) return false;
  const IndexedWords fetched(run.session.words.to_host);
  const std::array sources = {&fetched};
  const std::vector<Result> results = results_of(run, job);
  return std::any_of(results.begin(), results.end(), [&](const Result& one) {
    if (is_part_of(one, fetched)) return false;
    const std::size_t columns = one.shape.empty() ? 1 : std::max<std::size_t>(one.shape.back(), 1);
    return count_runs(sources, one.words) > one.words.size() / columns;
  });
}

std::optional<Diagnostic> diagnose_origin(const CaseRun& run, const Job& job) {
  if (!job.needs_launch || (run.session.launches.empty() && run.session.launches_dropped == 0))
    return std::nullopt;
  const auto& words = run.session.words;
  const IndexedWords inputs(input_words(job)), fetched(words.to_host),
      fetched_now(fetched_by_last_call(run.session));
  const Words copied = own_words(words.to_device, inputs, fetched);
  const Words passed = own_words(words.parameters, inputs, fetched);
  const std::vector<Result> results = results_of(run, job);
  for (const Result& result : results)
    if (auto found = diagnose_sent(result, copied, passed, inputs)) return found;
  const bool all_on_host = is_on_host(job);
  if (all_on_host && !words.is_complete) return too_much();
  if (auto found = all_on_host ? diagnose_own(run, copied, passed) : std::nullopt) return found;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (all_on_host || (job.outputs[i].is_copied && words.is_complete))
      if (auto found = diagnose_fetched(results[i], fetched_now)) return found;
  if (!all_on_host) return std::nullopt;
  if (auto found = diagnose_order(words, inputs, fetched)) return found;
  for (const Result& result : results)
    if (auto found = diagnose_selection(result, fetched)) return found;
  return std::nullopt;
}

}  // namespace grader
