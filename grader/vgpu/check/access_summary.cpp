#include "vgpu/check/access_summary.hpp"

#include <algorithm>
#include <utility>

namespace vgpu {
namespace {

constexpr std::size_t kMaxUnmerged = std::size_t{1} << 16U;

/// Sorts the ranges and joins those that overlap or touch.
void merge(std::vector<MemoryAccess>& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const MemoryAccess& a, const MemoryAccess& b) { return a.start < b.start; });
  std::vector<MemoryAccess> merged;
  for (const MemoryAccess& one : ranges) {
    if (!merged.empty() && one.start <= merged.back().end()) {
      const std::uint64_t end = std::max(merged.back().end(), one.end());
      merged.back().size_bytes = end - merged.back().start;
    } else {
      merged.push_back(one);
    }
  }
  ranges = std::move(merged);
}

}  // namespace

void AccessSummary::add(MemoryAccess access) {
  // The index has a bit for writes and one for atomics.
  std::vector<MemoryAccess>& ranges = kinds_[(access.is_write ? 2 : 0) + (access.is_atomic ? 1 : 0)];
  if (!ranges.empty() && ranges.back().end() == access.start) {
    ranges.back().size_bytes += access.size_bytes;
    return;
  }
  ranges.push_back(access);
  if (ranges.size() < kMaxUnmerged) return;
  merge(ranges);
  // If few ranges merge, they would be sorted too often.
  if (ranges.size() > kMaxUnmerged / 2) is_too_scattered_ = true;
}

void AccessSummary::add(const BlockLog& log, std::uint32_t granule_bytes) {
  for (const FetchedMemory& memory : log.fetched) add({memory.start, memory.size_bytes, false, false});
  for (const AccessRun& run : log.runs) {
    if (is_too_scattered_) return;
    // PTX ISA, "Memory Consistency Model": a volatile access is a relaxed one of system scope.
    const bool is_atomic = (run.flags & (AccessKey::kAtomic | AccessKey::kVolatile)) != 0;
    add({run.address, std::uint64_t{run.granules} * granule_bytes, run.is_store, is_atomic});
  }
}

std::vector<MemoryAccess> AccessSummary::take() {
  std::vector<MemoryAccess> all;
  if (is_too_scattered_) return all;
  for (std::vector<MemoryAccess>& ranges : kinds_) {
    merge(ranges);
    all.insert(all.end(), ranges.begin(), ranges.end());
  }
  if (all.size() > kMaxRanges) all.clear();
  return all;
}

}  // namespace vgpu
