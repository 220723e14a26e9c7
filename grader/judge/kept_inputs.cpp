#include "judge/kept_inputs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "judge/patterns.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

std::string spelled(std::uint32_t word, harness::Element element) {
  if (element == harness::Element::i32) return fmt::format("{}", static_cast<std::int32_t>(word));
  const auto value = std::bit_cast<float>(word);
  return std::isnan(value) ? "NaN" : fmt::format("{}", value);
}

Diagnostic diagnose_one(const ChangedInput& input, const CaseRun& run, const harness::Job& job,
                        const SourceText& source) {
  const bool is_of_earlier_call = input.call < job.earlier.size();
  Diagnostic problem = diagnose(
      "WG-M15",
      fmt::format("`{}` changes its input `{}`{}: {} is {} when it should still be {}", job.entry, input.name,
                  is_of_earlier_call ? " in an earlier call" : "",
                  element_name(input.name, input.shape, input.first), spelled(input.found, input.element),
                  spelled(input.given, input.element)),
      "store only to the result, and use memory of your own for intermediate values: the parameter is a "
      "pointer to const, so the caller still needs the input");
  problem.first =
      fmt::format("{} of {} elements differ after the call", input.count, element_count(input.shape));
  problem.likely_cause =
      "a kernel, a copy or a fill has the input as its destination, or an index of a store leads there";
  if (input.stored_by == 0 || input.stored_by > run.session.store_lines.size()) return problem;
  const auto& [file, line] = run.session.store_lines[input.stored_by - 1];
  if (file.substr(file.rfind('/') + 1) != source.name) return problem;  // npos + 1 is 0
  locate(problem, source.name, line, source);
  problem.first += "; the first was stored by this line";
  problem.likely_cause = "the kernel writes its result, or an intermediate value, over the input";
  return problem;
}

}  // namespace

std::vector<Diagnostic> diagnose_changed_inputs(const CaseRun& run, const harness::Job& job,
                                                const SourceText& source) {
  std::vector<Diagnostic> found;
  std::vector<std::string> known;
  for (const ChangedInput& input : run.changed_inputs) {
    if (std::find(known.begin(), known.end(), input.name) != known.end()) continue;
    known.push_back(input.name);
    found.push_back(diagnose_one(input, run, job, source));
  }
  return found;
}

}  // namespace grader
