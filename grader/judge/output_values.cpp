#include "judge/output_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/no_pattern.hpp"
#include "harness/elements.hpp"
#include "judge/advice.hpp"
#include "judge/arrays.hpp"
#include "judge/patterns.hpp"
#include "judge/source_hints.hpp"
#include "judge/stored_lines.hpp"
#include "judge/supply.hpp"
#include "judge/unread_memory.hpp"
#include "judge/visible_mistakes.hpp"
#include "judge/wording.hpp"
#include "vgpu/state/unwritten.hpp"

namespace grader {
namespace {

/// A frequent cause of wrong values that leaves no trace in them.
std::optional<Hint> hint_from(const SourceText& source, const harness::Job& job, const CaseRun& run) {
  if (auto mistake = mistake_of_values(source, run.session.launches, job.entry))
    return Hint{mistake->likely_cause +
                    (mistake->can_be_meant ? ", unless the two have different points of view" : ""),
                std::move(mistake->next_step)};
  if (const auto line = first_use(source, "__activemask"))
    return Hint{fmt::format(
        "no known pattern fits; __activemask() in line {} names the lanes that happen to run together, not "
        "the lanes that should take part: compute the mask from the data with __ballot_sync(0xffffffff, "
        "condition) before the branch, or let all 32 lanes take part",
        *line)};
  if (job.earlier.empty()) return std::nullopt;
  if (const std::string& other = job.earlier.back().entry; !other.empty())
    return Hint{fmt::format(
        "{}alone, `{}` has changed something that both use, such as a __constant__ array, and this function "
        "takes it for what it stored there itself",
        kNoPatternAfterCalls, other)};
  return Hint{fmt::format(
      "{}in its first call, a buffer or a variable (static, global, __device__) keeps a size or values from "
      "an earlier call",
      kNoPatternAfterCalls)};
}

/// Elements that were never written, rows in the place of columns, and wrong elements at the edge can come
/// from indices whose mistake is visible.
void name_visible_mistake(Diagnostic& problem, const SourceText& source, const harness::Job& job,
                          const CaseRun& run) {
  const bool is_edge = problem.code == "WG-V05",
             is_index = problem.code == "WG-V02" || problem.code == "WG-V04";
  auto mistake = certain_mistake(source, run.session.launches, job.entry);
  if (!mistake && problem.code == "WG-V02") mistake = ignored_parameter(source, job.entry);
  if (!mistake && is_edge) mistake = mistake_of_product(source);
  if (!mistake && is_index) mistake = mistake_of_indices(source, run.session.launches, job.entry);
  if (!mistake) {
    const auto unused = unused_pointer(source, run.session.launches);
    if (unused && problem.likely_cause != unused->likely_cause)
      problem.likely_cause = unused->likely_cause + "; " + problem.likely_cause;
    return;
  }
  advise(problem, *std::move(mistake));
}

/// Wrong values that nothing explains, of an array with more elements than an integer of 16 bits counts.
void mention_16_bits(Diagnostic& problem, const SourceText& source, const harness::Job& job) {
  const auto is_large = [](const harness::Input& array) {
    return element_count(array.shape) > std::numeric_limits<std::int16_t>::max();
  };
  if (!has_no_pattern(problem) || !problem.where ||
      std::none_of(job.inputs.begin(), job.inputs.end(), is_large))
    return;
  const auto line = integer_of_16_bits(source, problem.where->file, problem.where->line);
  if (!line) return;
  problem.likely_cause = fmt::format(
      "line {} uses an integer of 16 bits, which holds no number above 32767 (unsigned: 65535): an "
      "index or a count becomes larger in this case",
      *line);
  problem.next_step = "compute and keep indices and counts in an int";
}

/// Kernels ran, and none of their threads changed global memory.
bool stored_nothing(const CaseRun& run) {
  const vgpu::Counters& all = run.session.total_counters;
  const bool has_run =
      std::any_of(run.session.launches.begin(), run.session.launches.end(),
                  [](const auto& launch) { return launch.error == vgpu::LaunchError::none; });
  return has_run && all.global_stores.requested_bytes == 0 && all.global_atomics.requested_bytes == 0 &&
         all.surface_stores.requests == 0;
}

void name_missing_stores(Diagnostic& problem, const SourceText& source, const CaseRun& run) {
  const std::string kernel = kernel_name(run.session.launches.back().kernel);
  const auto condition = use_in(source, kernel, "if");
  problem.likely_cause = fmt::format(
      "`{}` ran, but none of its threads stores anything: {}the store is missing, or a loop around it runs "
      "zero times",
      kernel,
      condition ? fmt::format("the condition in line {} is false for all of them, ", *condition) : "");
  problem.next_step = "let each thread that has an element store it: if (i < n) y[i] = …";
}

/// A shuffle from a lane that does not take part returns a value that spoils the result.
void mention_shuffle(Diagnostic& problem, const SourceText& source) {
  for (const char* shuffle : {"__shfl_down_sync", "__shfl_xor_sync", "__shfl_up_sync", "__shfl_sync"}) {
    const auto line = first_use(source, shuffle);
    if (!line) continue;
    problem.likely_cause = fmt::format(
        "{} in line {} reads from a lane that does not take part: the lane has returned, skipped the branch, "
        "or is not in the mask; or something else is used before it has a value",
        shuffle, *line);
    problem.next_step =
        "let all 32 lanes reach the shuffle, those without an element with a value that changes nothing (0 "
        "for a sum)";
    return;
  }
}

/// A number that programs write out, such as 1e38: it has few decimal digits.
bool is_like_literal(float value) {
  return std::strtof(fmt::format("{:.5g}", value).c_str(), nullptr) == value;
}

/// The value of such a shuffle, alone or with others (vgpu/state/unwritten.hpp).
bool has_huge(const Array& output) {
  return std::any_of(output.values.begin(), output.values.end(), [](float value) {
    return std::isfinite(value) && std::fabs(value) >= vgpu::kLeastUnwritten && !is_like_literal(value);
  });
}

/// The line that stored the wrong element changes what was in memory before.
void mention_start_value(Diagnostic& problem, const std::string& output) {
  problem.likely_cause = fmt::format(
      "`{}` was not set before this line adds to it, or combines it with a value; or that value is itself "
      "not "
      "finite",
      output);
  problem.next_step =
      "set the output to 0 (for a minimum or a maximum: to the value that changes nothing) with cudaMemset "
      "or a kernel before the launch, in each call";
}

bool is_atomic(const std::string& line) { return line.find("atomic") != std::string::npos; }

/// The words with which the harness fills outputs are integers, too (-1, -2): where a kernel is known to have
/// stored them, they are these.
Array with_stored_integers(const Array& output, const StoredLines& lines) {
  Array numbers = output;
  for (std::size_t i = 0; i < numbers.values.size(); ++i) {
    float& value = numbers.values[i];
    if (harness::is_poison(value) && lines.is_stored(i))
      value = static_cast<float>(std::bit_cast<std::int32_t>(value));
  }
  return numbers;
}

/// What the run and the source show about a wrong output.
void add_facts(Diagnostic& problem, const Array& answer, const CaseRun& run, const harness::Job& job,
               const SourceText& source) {
  name_visible_mistake(problem, source, job, run);
  // An explanation of the values themselves says more.
  if (has_no_pattern(problem) || problem.code == "WG-V07")
    if (auto unread = unread_memory(run, job))
      advise(problem, Advice{*std::move(unread),
                             "pass to each kernel the array in which the one before it stored its results"});
  if (stored_nothing(run)) name_missing_stores(problem, source, run);
  mention_16_bits(problem, source, job);
  const bool is_spoiled = problem.code == "WG-V03" || (problem.code == "WG-V09" && has_huge(answer));
  if (is_spoiled && is_atomic(problem.source_line))
    mention_start_value(problem, answer.name);
  else if (is_spoiled && run.session.launches.empty())  // the virtual GPU reports such a shuffle itself
    mention_shuffle(problem, source);
}

}  // namespace

std::vector<Guesses> diagnose_outputs(const harness::Job& job, const CaseRun& run,
                                      const std::vector<Expectation>& expected, const SourceText& source,
                                      const std::vector<Hypothesis>& hypotheses) {
  std::vector<Guesses> found;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const StoredLines lines(run, job, i, source);
    const bool is_integer = job.outputs[i].element == harness::Element::i32;
    const Array& answer = run.answer.outputs[i];
    const Array stored = is_integer ? with_stored_integers(answer, lines) : Array{};
    const Array& actual = is_integer ? stored : answer;  // not a copy: arrays can be large
    const OutputPair output{actual,
                            expected[i],
                            supply_of(run, job, i),
                            job.outputs[i].place,
                            hint_from(source, job, run),
                            &lines,
                            job.outputs[i].element,
                            job.inputs};
    auto guesses = guess_causes(output, hypotheses);
    if (!guesses) continue;
    for (Guess& one : guesses->guesses) add_facts(one.diagnostic, answer, run, job, source);
    found.push_back(*std::move(guesses));
  }
  return found;
}

}  // namespace grader
