#include "judge/traffic.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "judge/host_problem.hpp"

namespace grader {
namespace {

using harness::Job;
using harness::Place;

/// Bytes that any program is allowed to move: constants, sizes, partial results. A program can cheat with
/// data of this size, but every lab has larger cases.
constexpr std::uint64_t kSmall = 4096;
/// In larger cases, one word per this many elements: one partial result per warp. Packed elements do not fit:
/// grey levels from 0 to 7 have 3 of 32 bits each.
constexpr std::uint64_t kElementsPerWord = 32;

/// How often inputs in host memory may be sent to the device: as they are, transposed, padded, for one step
/// after another. origin.cpp checks that the values are the inputs; the limit only makes it useless to
/// encode results in constants.
constexpr std::uint64_t kUploads = 16;
/// Buffers and padding of small cases, where arrays are in host memory.
constexpr std::uint64_t kBuffers = std::uint64_t{256} << 10U;

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

/// An input that an output starts as is where the output is: the function does not get it anywhere else.
template <class Call>
Sizes input_sizes(const Call& call) {
  Sizes sizes = sizes_of(call.inputs);
  for (const harness::OutputSpec& one : call.outputs) {
    if (!one.starts_as || one.place != Place::device) continue;
    const auto& input = call.inputs.at(*one.starts_as);
    const std::uint64_t bytes = element_count(input.shape) * sizeof(float);
    if (input.place == Place::device) continue;
    sizes.host -= bytes;
    sizes.device += bytes;
  }
  return sizes;
}

std::uint64_t few_of(std::uint64_t bytes) { return std::max(kSmall, bytes / kElementsPerWord); }

/// What the harness writes to the device before a call.
template <class Call>
std::uint64_t written_before(const Call& call) {
  std::uint64_t written = sizes_of(call.inputs).device;
  for (const harness::OutputSpec& one : call.outputs)
    if (one.place == Place::device && one.starts_as) written += element_count(one.shape) * sizeof(float);
  return written;
}

/// The traffic of the harness itself. It downloads the outputs of all calls whose results are checked.
vgpu::cudart::HostTraffic harness_traffic(const Job& job, const Sizes& outputs) {
  std::uint64_t written = written_before(job);
  for (const harness::EarlierCall& one : job.earlier) written += written_before(one);
  return {.to_device = written, .to_host = (1 + harness::checked_earlier_calls(job)) * outputs.device};
}

std::uint64_t beyond(std::uint64_t value, std::uint64_t part) { return value - std::min(value, part); }

constexpr const char* kReadInPlace =
    "let kernels read the inputs where they are, and let them write the results";

}  // namespace

std::optional<Diagnostic> diagnose_traffic(const CaseRun& run, const Job& job) {
  if (!job.needs_launch || (run.session.launches.empty() && run.session.launches_dropped == 0))
    return std::nullopt;
  Sizes inputs = input_sizes(job), outputs = sizes_of(job.outputs);
  const auto own = harness_traffic(job, outputs);
  const auto& traffic = run.session.traffic;

  // Bytes that need no reason. Each call may move as many.
  std::uint64_t may_fetch = few_of(inputs.device), may_send = few_of(outputs.all());
  for (const harness::EarlierCall& one : job.earlier) {
    const Sizes earlier_inputs = input_sizes(one), earlier_outputs = sizes_of(one.outputs);
    inputs.device += earlier_inputs.device;
    inputs.host += earlier_inputs.host;
    outputs.host += earlier_outputs.host;
    may_fetch += few_of(earlier_inputs.device);
    may_send += few_of(earlier_outputs.all());
  }

  const std::uint64_t fetched = beyond(traffic.to_host, own.to_host) + traffic.written_to_host;
  const std::uint64_t fetch_limit = outputs.host + may_fetch;
  if (inputs.device > 0 && fetched > fetch_limit && 2 * traffic.printed > fetched)
    return host_problem("WG-S27",
                        fmt::format("kernels printed {} bytes during the call; the limit for this case is {}",
                                    traffic.printed, fetch_limit),
                        "every thread calls printf, perhaps for debugging; printed text counts as data that "
                        "leaves the device",
                        "take printf out of the kernels, or let one thread print");
  if (inputs.device > 0 && fetched > fetch_limit)
    return host_problem(
        "WG-S27",
        fmt::format(
            "{} bytes came from the device to the host during the call; the limit for this case is {}",
            fetched, fetch_limit),
        "the host copies the inputs back and computes the results itself, or code that verifies the results "
        "is still there",
        std::string(kReadInPlace) + "; remove code that verifies results on the host before you hand in");
  // Where all inputs are in host memory, kernels may read them and their own results there any number of
  // times, and origin.cpp checks every value. Inputs next to arrays on the device are small: weights.
  const bool all_on_host = inputs.device == 0;
  const std::uint64_t sent =
      beyond(traffic.to_device, own.to_device) + (all_on_host ? 0 : traffic.read_from_host);
  const std::uint64_t send_limit = kUploads * inputs.host + (all_on_host ? kBuffers : 0) + may_send;
  if (sent > send_limit)
    return host_problem(
        "WG-S27",
        fmt::format(
            "{} bytes went from the host to the device during the call; the limit for this case is {}", sent,
            send_limit),
        "the host computes results and uploads them", kReadInPlace);
  return std::nullopt;
}

}  // namespace grader
