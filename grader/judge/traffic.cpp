#include "judge/traffic.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace grader {
namespace {

using harness::Job;
using harness::Place;

/// Bytes that any program is allowed to move: constants, sizes, partial results. A program can cheat with
/// data of this size, but every lab has larger cases.
constexpr std::uint64_t kSmall = 4096;

struct Sizes {
  std::uint64_t device = 0, host = 0;  ///< bytes of arrays in that memory; `host` includes pinned arrays
  std::uint64_t all() const { return device + host; }
};

template <class Array>
Sizes sizes_of(const std::vector<Array>& arrays) {
  Sizes sizes;
  for (const Array& one : arrays)
    (one.place == Place::device ? sizes.device : sizes.host) += element_count(one.shape) * sizeof(float);
  return sizes;
}

/// The traffic of the harness itself.
vgpu::cudart::HostTraffic harness_traffic(const Job& job, const Sizes& inputs, const Sizes& outputs) {
  std::uint64_t written = inputs.device;
  for (const harness::OutputSpec& one : job.outputs)
    if (one.place == Place::device && one.starts_as) written += element_count(one.shape) * sizeof(float);
  return {.to_device = written, .to_host = outputs.device};
}

std::uint64_t beyond(std::uint64_t value, std::uint64_t part) { return value - std::min(value, part); }

Diagnostic problem(
    std::string what, std::string cause,
    std::string next_step = "let kernels read the inputs where they are, and let them write the results") {
  Diagnostic found = diagnose("WG-S27", std::move(what), std::move(next_step));
  found.likely_cause = std::move(cause);
  return found;
}

}  // namespace

std::optional<Diagnostic> diagnose_traffic(const CaseRun& run, const Job& job) {
  if (!job.needs_launch || (run.session.launches.empty() && run.session.launches_dropped == 0))
    return std::nullopt;
  const Sizes inputs = sizes_of(job.inputs), outputs = sizes_of(job.outputs);
  const auto own = harness_traffic(job, inputs, outputs);
  // Memory that host and device share carries data in both directions. If a lab has arrays in host memory,
  // programs are allowed to share some.
  const std::uint64_t shared = inputs.host + outputs.host == 0 ? run.session.peak_pinned_bytes : 0;

  const std::uint64_t fetched = beyond(run.session.traffic.to_host, own.to_host) + shared;
  const std::uint64_t fetch_limit = outputs.host + std::max(kSmall, inputs.device / 2);
  if (inputs.device > 0 && fetched > fetch_limit && 2 * run.session.traffic.printed > fetched)
    return problem(
        fmt::format("kernels printed {} bytes during the call; the limit for this case is {}",
                    run.session.traffic.printed, fetch_limit),
        "every thread calls printf, left from debugging: printed text is data that leaves the device",
        "take printf out of the kernels, or let one thread print");
  if (inputs.device > 0 && fetched > fetch_limit)
    return problem(
        fmt::format(
            "{} bytes came from the device to the host during the call; the limit for this case is {}",
            fetched, fetch_limit),
        "the host copies the inputs back and computes the results itself");
  const std::uint64_t sent = beyond(run.session.traffic.to_device, own.to_device) + shared;
  const std::uint64_t send_limit = inputs.host + std::max(kSmall, outputs.all() / 2);
  if (sent > send_limit)
    return problem(
        fmt::format(
            "{} bytes went from the host to the device during the call; the limit for this case is {}", sent,
            send_limit),
        "the host computes results and uploads them");
  const auto& counters = run.session.total_counters;
  const bool all_on_host = inputs.device + outputs.device == 0 && inputs.host > kSmall;
  if (all_on_host && (counters.global_loads.requested_bytes < inputs.host ||
                      counters.global_stores.requested_bytes < outputs.host))
    return problem(
        fmt::format("the kernels read {} and wrote {} bytes, but the inputs have {} and the outputs {}",
                    counters.global_loads.requested_bytes, counters.global_stores.requested_bytes,
                    inputs.host, outputs.host),
        "the host computes results, and the kernels do something else");
  return std::nullopt;
}

}  // namespace grader
