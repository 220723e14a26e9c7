#include "vgpu/cudart/device_side/lineage.hpp"

namespace vgpu::cudart {

bool hides_accesses(const LaunchRecord& launch) {
  const Counters& counters = launch.counters;
  return launch.records_accesses && launch.accesses.empty() &&
         counters.global_loads.requests + counters.global_stores.requests + counters.global_atomics.requests >
             0;
}

void Lineage::make(std::uint64_t start, std::uint64_t end, const Maker& maker) {
  made_.set(start, end, maker);
  record_.is_complete = made_.size() <= kMaxRanges;
}

void Lineage::set(const Rows& rows, const Box& box) {
  if (!is_tracked() || made_.empty() || bytes_of(box).value_or(0) == 0) return;
  const Box all = merged(box, {&rows});
  for_rows(all, [&](std::uint64_t slice, std::uint64_t row) {
    const std::uint64_t start = row_address(rows, slice, row);
    made_.erase(start, start + all.width);
  });
}

void Lineage::copied(const Rows& to, const Rows& from, const Box& box) {
  if (bytes_of(box).value_or(0) == 0) return;
  const Box rows = merged(box, {&to, &from});
  for_rows(rows, [&](std::uint64_t slice, std::uint64_t row) {
    if (!is_tracked()) return;
    const std::uint64_t source = row_address(from, slice, row), target = row_address(to, slice, row);
    std::vector<MadeRange> parts;
    made_.visit(source, source + rows.width, [&](std::uint64_t start, std::uint64_t end, const Maker& maker) {
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
  record_.is_hidden.push_back(hides_accesses(launch));
  std::vector<bool> sources(number);
  // Every launch reads before it stores, and an atomic operation does both.
  for (const MemoryAccess& access : launch.accesses) {
    if (!is_tracked() || (access.is_write && !access.is_atomic)) continue;
    made_.visit(access.start, access.end(), [&](std::uint64_t, std::uint64_t, const Maker& maker) {
      if (maker.launch < number) sources[maker.launch] = true;
    });
  }
  for (const MemoryAccess& access : launch.accesses)
    if (is_tracked() && access.is_write) make(access.start, access.end(), {.launch = number});
  record_.sources.push_back(std::move(sources));
}

LineageRecord Lineage::take() {
  if (record_.is_complete)
    made_.visit_all([&](std::uint64_t start, std::uint64_t end, const Maker& maker) {
      record_.ranges.push_back({start, end, maker});
    });
  return std::move(record_);
}

}  // namespace vgpu::cudart
