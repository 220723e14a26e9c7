#include "vgpu/cudart/device_side/lineage.hpp"

#include <algorithm>
#include <iterator>

namespace vgpu::cudart {

/// Afterwards no range contains bytes on both sides of the address. Returns the first range from it on.
Lineage::Ranges::iterator Lineage::split_at(std::uint64_t address) {
  const auto after = made_.lower_bound(address);
  if (after == made_.begin()) return after;
  const auto before = std::prev(after);
  if (before->second.end <= address) return after;
  const Made rest = before->second;
  before->second.end = address;
  return made_.emplace_hint(after, address, rest);
}

void Lineage::erase(std::uint64_t start, std::uint64_t end) {
  const auto first = split_at(start);
  if (first == made_.end() || first->first >= end) return;
  split_at(end);
  made_.erase(first, made_.lower_bound(end));
}

void Lineage::make(std::uint64_t start, std::uint64_t end, const Maker& maker) {
  if (start == end) return;
  erase(start, end);
  auto after = made_.lower_bound(end);
  if (after != made_.end() && after->first == end && after->second.maker == maker) {
    end = after->second.end;
    after = made_.erase(after);
  }
  if (after != made_.begin()) {
    Made& before = std::prev(after)->second;
    if (before.end == start && before.maker == maker) {
      before.end = end;
      return;
    }
  }
  made_.emplace_hint(after, start, Made{end, maker});
  record_.is_complete = made_.size() <= kMaxRanges;
}

template <class Visit>
void Lineage::visit(std::uint64_t start, std::uint64_t end, Visit visit) const {
  auto one = made_.upper_bound(start);
  if (one != made_.begin()) --one;
  for (; one != made_.end() && one->first < end; ++one) {
    const std::uint64_t from = std::max(start, one->first), to = std::min(end, one->second.end);
    if (from < to) visit(from, to, one->second.maker);
  }
}

void Lineage::set(const Rows& rows, const Box& box) {
  if (!is_tracked() || made_.empty() || bytes_of(box).value_or(0) == 0) return;
  const Box all = merged(box, {&rows});
  for_rows(all, [&](std::uint64_t slice, std::uint64_t row) {
    const std::uint64_t start = row_address(rows, slice, row);
    erase(start, start + all.width);
  });
}

void Lineage::copied(const Rows& to, const Rows& from, const Box& box) {
  if (bytes_of(box).value_or(0) == 0) return;
  const Box rows = merged(box, {&to, &from});
  for_rows(rows, [&](std::uint64_t slice, std::uint64_t row) {
    if (!is_tracked()) return;
    const std::uint64_t source = row_address(from, slice, row), target = row_address(to, slice, row);
    std::vector<MadeRange> parts;
    visit(source, source + rows.width, [&](std::uint64_t start, std::uint64_t end, const Maker& maker) {
      parts.push_back({start, end, {maker.launch, true}});
    });
    make(target, target + rows.width, {.is_copied = true});
    for (const MadeRange& part : parts)
      make(target + (part.start - source), target + (part.end - source), part.maker);
  });
}

void Lineage::launched(const LaunchRecord& launch) {
  if (!is_on_ || record_.sources.size() == kMaxLaunches) return;
  const auto number = static_cast<std::uint32_t>(record_.sources.size());
  const Counters& counters = launch.counters;
  record_.is_hidden.push_back(launch.accesses.empty() && counters.global_loads.requests +
                                                                 counters.global_stores.requests +
                                                                 counters.global_atomics.requests >
                                                             0);
  std::vector<bool> sources(number);
  // Every launch reads before it stores, and an atomic operation does both.
  for (const MemoryAccess& access : launch.accesses) {
    if (!is_tracked() || (access.is_write && !access.is_atomic)) continue;
    visit(access.start, access.end(), [&](std::uint64_t, std::uint64_t, const Maker& maker) {
      if (maker.launch < number) sources[maker.launch] = true;
    });
  }
  for (const MemoryAccess& access : launch.accesses)
    if (is_tracked() && access.is_write) make(access.start, access.end(), {.launch = number});
  record_.sources.push_back(std::move(sources));
}

LineageRecord Lineage::take() {
  if (record_.is_complete)
    for (const auto& [start, made] : made_) record_.ranges.push_back({start, made.end, made.maker});
  return std::move(record_);
}

}  // namespace vgpu::cudart
