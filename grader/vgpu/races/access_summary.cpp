#include "vgpu/races/access_summary.hpp"

#include <algorithm>
#include <utility>

namespace vgpu {
namespace {

constexpr std::size_t kMaxSorted = std::size_t{1} << 16U;
constexpr std::size_t kMinLoose = 256;

}  // namespace

std::size_t AccessSummary::Ranges::find(std::uint64_t address) const {
  const auto is_at = [&](std::size_t index) {
    return index < sorted.size() && sorted[index].start <= address &&
           (index + 1 == sorted.size() || address < sorted[index + 1].start);
  };
  // A block's ranges arrive by address, page by page.
  if (is_at(latest)) return latest;
  if (is_at(latest + 1)) return latest + 1;
  const auto after =
      std::upper_bound(sorted.begin(), sorted.end(), address,
                       [](std::uint64_t at, const MemoryAccess& range) { return at < range.start; });
  return after == sorted.begin() ? sorted.size() : static_cast<std::size_t>(after - sorted.begin()) - 1;
}

bool AccessSummary::Ranges::extend(const MemoryAccess& access) {
  const std::size_t at = find(access.start);
  if (at == sorted.size()) return false;
  latest = at;
  MemoryAccess& range = sorted[at];
  const bool fits = at + 1 == sorted.size() || access.end() <= sorted[at + 1].start;
  if (access.start > range.end() || !fits) return false;
  range.size_bytes = std::max(range.end(), access.end()) - range.start;
  return true;
}

/// Sorts the ranges and joins those that overlap or touch.
void AccessSummary::Ranges::merge() {
  const auto is_earlier = [](const MemoryAccess& a, const MemoryAccess& b) { return a.start < b.start; };
  if (!std::is_sorted(loose.begin(), loose.end(), is_earlier))
    std::sort(loose.begin(), loose.end(), is_earlier);
  std::vector<MemoryAccess> all(sorted.size() + loose.size());
  std::merge(sorted.begin(), sorted.end(), loose.begin(), loose.end(), all.begin(), is_earlier);
  loose.clear();
  std::vector<MemoryAccess> merged;
  for (const MemoryAccess& one : all) {
    if (!merged.empty() && one.start <= merged.back().end()) {
      const std::uint64_t end = std::max(merged.back().end(), one.end());
      merged.back().size_bytes = end - merged.back().start;
    } else {
      merged.push_back(one);
    }
  }
  sorted = std::move(merged);
}

void AccessSummary::add(MemoryAccess access) {
  Ranges& ranges = kinds_[kind(access.is_write, access.is_atomic)];
  if (!ranges.extend(access)) append(ranges, access);
}

void AccessSummary::append(Ranges& ranges, const MemoryAccess& access) {
  if (!ranges.loose.empty() && ranges.loose.back().end() == access.start) {
    ranges.loose.back().size_bytes += access.size_bytes;
    return;
  }
  ranges.loose.push_back(access);
  // As many as are sorted, so that the cost of sorting per range stays low.
  if (ranges.loose.size() < std::max(ranges.sorted.size(), kMinLoose)) return;
  ranges.merge();
  is_too_scattered_ = ranges.sorted.size() > kMaxSorted;
}

void AccessSummary::add(const AccessRun& run, bool is_write, bool is_atomic) {
  const auto emit = [&](std::uint64_t first, std::uint64_t count) {
    add({first * granule_bytes_, count * granule_bytes_, is_write, is_atomic});
  };
  RecentRanges& recent = kinds_[kind(is_write, is_atomic)].recent;
  const std::uint64_t first = run.address / granule_bytes_;
  if (run.spacing.has_gaps())
    recent.add_spaced(first, run.spacing, run.granules, emit);
  else
    recent.add(first, run.granules, emit);
}

void AccessSummary::add(const BlockLog& log, std::uint32_t granule_bytes) {
  granule_bytes_ = granule_bytes;
  for (const FetchedMemory& memory : log.fetched) add({memory.start, memory.size_bytes, false, false});
  for (const AccessRun& run : log.runs) {
    if (is_too_scattered_) return;
    // PTX ISA, "Memory Consistency Model": a volatile access is a relaxed one of system scope.
    const bool is_atomic = (run.flags & (AccessKey::kAtomic | AccessKey::kVolatile)) != 0;
    add(run, run.is_store, is_atomic);
    // An atomic operation reads, too.
    if (run.is_store && (run.flags & AccessKey::kAtomic) != 0) add(run, false, true);
  }
}

std::vector<MemoryAccess> AccessSummary::take() {
  std::vector<MemoryAccess> all;
  for (const bool is_write : {false, true}) {
    for (const bool is_atomic : {false, true}) {
      Ranges& ranges = kinds_[kind(is_write, is_atomic)];
      // The recent ranges arrive by address: without others, only the last sorted and the first loose one of
      // them can still touch.
      const bool are_all = ranges.sorted.empty() && ranges.loose.empty();
      is_too_scattered_ |= are_all && ranges.recent.has_more_than(kMaxRanges + 1);
      if (is_too_scattered_) return all;
      ranges.recent.flush([&](std::uint64_t first, std::uint64_t count) {
        if (is_too_scattered_) return;
        append(ranges, {first * granule_bytes_, count * granule_bytes_, is_write, is_atomic});
        if (are_all && ranges.sorted.size() + ranges.loose.size() > kMaxRanges + 1) is_too_scattered_ = true;
      });
    }
  }
  if (is_too_scattered_) return all;
  for (Ranges& ranges : kinds_) {
    ranges.merge();
    all.insert(all.end(), ranges.sorted.begin(), ranges.sorted.end());
  }
  if (all.size() > kMaxRanges) all.clear();
  return all;
}

}  // namespace vgpu
