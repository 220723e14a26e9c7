#include "judge/device_copies.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "judge/patterns.hpp"

namespace grader {
namespace {

using harness::Job;
using vgpu::cudart::MadeRange;

/// Up to this part of a result can be copied from the inputs: elements that an operation leaves as they are.
constexpr std::uint64_t kCopiedPart = 8;
/// Pieces in which copies may rearrange data.
constexpr std::uint64_t kSmallPieces = 64;

Diagnostic by_copy(std::string what, std::string cause, std::string next_step) {
  Diagnostic found = diagnose("WG-S27", std::move(what), std::move(next_step));
  found.likely_cause = std::move(cause);
  return found;
}

struct Delivered {
  std::uint64_t bytes = 0;
  std::uint64_t first = ~std::uint64_t{0};  ///< address
};

/// The bytes of [start, end) that a copy within the device put there and that no kernel had stored.
/// `stored_by` is of the words from `start` on: a launch that stored in too many places is in no range.
Delivered delivered_to(std::uint64_t start, std::uint64_t end, const std::vector<MadeRange>& ranges,
                       const std::vector<vgpu::StoreLine>& stored_by) {
  const auto is_stored = [&](std::uint64_t address) {
    const std::uint64_t word = (address - start) / sizeof(float);
    return word < stored_by.size() && stored_by[word] != 0;
  };
  Delivered delivered;
  for (const MadeRange& one : ranges) {
    if (!one.maker.is_copied || one.maker.launch != vgpu::cudart::Maker::kNone) continue;
    const std::uint64_t to = std::min(end, one.end);
    for (std::uint64_t at = std::max(start, one.start); at < to; at += sizeof(float)) {
      if (is_stored(at)) continue;
      delivered.bytes += std::min<std::uint64_t>(sizeof(float), to - at);
      delivered.first = std::min(delivered.first, at);
    }
  }
  return delivered;
}

/// What a launch stores to a surface has no record of its place: it stored this much at least.
bool can_have_stored(const CaseRun& run, std::uint64_t bytes) {
  return std::any_of(run.session.launches.begin(), run.session.launches.end(), [&](const auto& launch) {
    return launch.counters.surface_stores.requested_bytes >= bytes;
  });
}

std::optional<Diagnostic> diagnose_delivery(const CaseRun& run, const Job& job, std::size_t output) {
  const harness::OutputSpec& spec = job.outputs[output];
  if (spec.place != harness::Place::device || output >= run.answer.addresses.size()) return std::nullopt;
  const std::uint64_t start = run.answer.addresses[output];
  const std::uint64_t bytes = element_count(spec.shape) * sizeof(float);
  const std::vector<vgpu::StoreLine> unknown;
  Delivered delivered = delivered_to(start, start + bytes, run.session.lineage.ranges,
                                     output < run.stored_by.size() ? run.stored_by[output] : unknown);
  // Without a record of what was copied, all copies count.
  if (!run.session.lineage.is_complete) delivered = {run.session.device_copies.copied_bytes, start};
  if (delivered.bytes * kCopiedPart <= bytes || can_have_stored(run, delivered.bytes)) return std::nullopt;
  return by_copy(
      fmt::format("copies within the device put {} of {} bytes of `{}` in their place, the first at {}",
                  std::min(delivered.bytes, bytes), bytes, spec.name,
                  element_name(spec.name, spec.shape, (delivered.first - start) / sizeof(float))),
      "cudaMemcpy or cudaMemcpy2D copies inputs to the result, and no kernel stores these elements",
      "let a kernel load the inputs and store the result; copies of what kernels have stored are permitted");
}

}  // namespace

std::optional<Diagnostic> diagnose_device_copies(const CaseRun& run, const Job& job) {
  if (!job.needs_launch || (run.session.launches.empty() && run.session.launches_dropped == 0))
    return std::nullopt;
  const std::uint64_t pieces = run.session.device_copies.small_pieces;
  if (pieces > kSmallPieces)
    return by_copy(
        fmt::format(
            "copies within the device rearrange data in {} pieces of fewer than {} bytes; the limit is {}",
            pieces, vgpu::kSectorBytes, kSmallPieces),
        "several cudaMemcpy2D, or a loop of small copies, transpose or gather, which is the kernels' work "
        "here",
        "let a kernel rearrange the data; copy whole rows if you need to copy");
  for (std::size_t i = 0; i < job.outputs.size(); ++i)
    if (auto found = diagnose_delivery(run, job, i)) return found;
  return std::nullopt;
}

}  // namespace grader
