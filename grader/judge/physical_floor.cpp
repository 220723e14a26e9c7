#include "judge/physical_floor.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace grader {

double least_seconds(const PeakRates& peak, const harness::Job& job, double operations) {
  double bytes = 0;
  for (const harness::Input& input : job.inputs)
    bytes += static_cast<double>(element_count(input.shape) * sizeof(float));
  const double memory_s = peak.bytes_per_s > 0 ? bytes / peak.bytes_per_s : 0;
  const double arithmetic_s = peak.operations_per_s > 0 ? operations / peak.operations_per_s : 0;
  return std::max(memory_s, arithmetic_s);
}

std::optional<Diagnostic> impossible_time(const std::string& case_name, double seconds, double least_s) {
  if (seconds >= least_s) return std::nullopt;
  Diagnostic problem = diagnose(
      "WG-S40",
      fmt::format("a call of {} took {:.3g} us; this GPU needs {:.3g} us to read the inputs and do the "
                  "operations",
                  case_name, 1e6 * seconds, 1e6 * least_s),
      "do all of the work between the start and the end of the call, on the inputs of this call");
  problem.likely_cause = "the results of an earlier call are returned again, or clocks were tampered with";
  return problem;
}

}  // namespace grader
