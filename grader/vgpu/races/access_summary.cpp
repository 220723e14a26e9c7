#include "vgpu/races/access_summary.hpp"

#include <algorithm>
#include <utility>

namespace vgpu {
namespace {

/// Limits what is kept until overlapping ranges are joined.
constexpr std::size_t kMaxLoose = std::size_t{1} << 16U;
constexpr std::size_t kFewLoose = 256;

/// Adds a range that starts after the others do.
void append(std::vector<MemoryAccess>& ranges, const MemoryAccess& one) {
  if (ranges.empty() || one.start > ranges.back().end()) return ranges.push_back(one);
  MemoryAccess& last = ranges.back();
  last.size_bytes = std::max(last.end(), one.end()) - last.start;
}

/// Sorts ranges of one kind and joins those that overlap or touch.
void join(std::vector<MemoryAccess>& ranges) {
  const auto is_earlier = [](const MemoryAccess& a, const MemoryAccess& b) { return a.start < b.start; };
  if (!std::is_sorted(ranges.begin(), ranges.end(), is_earlier))
    std::sort(ranges.begin(), ranges.end(), is_earlier);
  std::vector<MemoryAccess> joined;
  for (const MemoryAccess& one : ranges) append(joined, one);
  ranges = std::move(joined);
}

}  // namespace

void AccessSummary::add(const MemoryPart& part, const BlockLog& log) {
  Marks& marks = parts_[part.index];
  for (const AccessRun& run : log.runs) {
    // PTX ISA, "Memory Consistency Model": a volatile access is a relaxed one of system scope.
    const bool is_atomic = (run.flags & (AccessKey::kAtomic | AccessKey::kVolatile)) != 0;
    mark(part, marks[kind(run.is_store, is_atomic)], run);
    // An atomic operation reads, too.
    if (run.is_store && (run.flags & AccessKey::kAtomic) != 0) mark(part, marks[kind(false, true)], run);
  }
}

void AccessSummary::mark(const MemoryPart& part, MarkedGranules& marks, const AccessRun& run) const {
  const std::uint64_t first = run.address >> granule_shift_;
  if (run.spacing.has_gaps()) {  // in one page
    if (part.has(run.address)) marks.add_spaced(first, run.spacing, run.granules);
    return;
  }
  part.for_ranges(run.address, std::uint64_t{run.granules} << granule_shift_,
                  [&](std::uint64_t address, std::uint64_t size_bytes) {
                    marks.add(address >> granule_shift_, size_bytes >> granule_shift_);
                  });
}

void AccessSummary::add_read(std::uint64_t start, std::uint64_t size_bytes) {
  if (are_reads_too_scattered_) return;
  if (!reads_.empty() && reads_.back().start <= start && start <= reads_.back().end())
    return append(reads_, {start, size_bytes, false, false});
  reads_.push_back({start, size_bytes, false, false});
  // As many as were left, so that the cost of sorting per range stays low.
  if (reads_.size() < 2 * joined_reads_ + kFewLoose) return;
  join(reads_);
  joined_reads_ = reads_.size();
  are_reads_too_scattered_ = joined_reads_ > kMaxLoose;
}

void AccessSummary::add_reads(const ReadMap& reads) {
  Ranges ranges;
  reads.for_ranges([&](std::uint64_t first, std::uint64_t count) {
    append(ranges, {first << granule_shift_, count << granule_shift_, false, false});
    return ranges.size() <= kMaxRanges;
  });
  are_reads_too_scattered_ |= ranges.size() > kMaxRanges;
  reads_.insert(reads_.end(), ranges.begin(), ranges.end());
}

/// Appends the marked ranges of a kind, joined; false if they are too many.
bool AccessSummary::append_marked(Ranges& ranges, bool is_write, bool is_atomic) const {
  // By number, which is also in the page: to look there while sorting would take most of the time.
  std::vector<std::pair<std::uint64_t, const MarkedGranules::Page*>> pages;
  for (const Marks& part : parts_) {
    const auto others = static_cast<std::ptrdiff_t>(pages.size());
    for (const auto& page : part[kind(is_write, is_atomic)].pages()) pages.emplace_back(page.number, &page);
    // Blocks mostly access a part's pages in their order.
    if (!std::is_sorted(pages.begin() + others, pages.end())) std::sort(pages.begin() + others, pages.end());
    std::inplace_merge(pages.begin(), pages.begin() + others, pages.end());
  }
  const std::size_t most = ranges.size() + kMaxRanges;
  return std::all_of(pages.begin(), pages.end(), [&](const auto& page) {
    return page.second->for_ranges([&](std::uint64_t first, std::uint64_t count) {
      append(ranges, {first << granule_shift_, count << granule_shift_, is_write, is_atomic});
      return ranges.size() <= most;
    });
  });
}

std::vector<MemoryAccess> AccessSummary::take() {
  Ranges all;
  if (are_reads_too_scattered_) return all;
  for (const bool is_write : {false, true}) {
    for (const bool is_atomic : {false, true}) {
      Ranges ranges;
      const bool are_few = append_marked(ranges, is_write, is_atomic);
      if (!is_write && !is_atomic) {
        ranges.insert(ranges.end(), reads_.begin(), reads_.end());
        join(ranges);
      }
      all.insert(all.end(), ranges.begin(), ranges.end());
      if (!are_few || all.size() > kMaxRanges) return {};
    }
  }
  return all;
}

}  // namespace vgpu
