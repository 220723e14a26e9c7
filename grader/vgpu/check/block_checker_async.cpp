// BlockChecker: asynchronous copies and mbarriers.
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "vgpu/check/block_checker.hpp"

namespace vgpu::exec {
namespace {

constexpr std::uint64_t kBitsPerWord = 64;

constexpr std::uint64_t bit_of(std::uint64_t granule) { return std::uint64_t{1} << granule % kBitsPerWord; }

bool changes_shared(const Warp& warp, const PendingCopy& copy) {
  return std::memcmp(warp.core->shared + copy.to, copy.data.data(), copy.bytes) != 0;
}

}  // namespace

/// A copy can write at any time between its start and the wait for it: both count as stores of its thread.
/// Races are found when it starts and, until the wait, by look_for_copies().
Conflict BlockChecker::note_copy(const Warp& warp, const PendingCopy& copy, const AccessSite& site,
                                 bool changes) {
  const std::uint32_t granule = sites_.shared_granule;
  Conflict conflict;
  for (std::uint32_t i = 0; i < copy.bytes / granule; ++i) {
    const Conflict found = note_store(shared_shadow_.span().from(copy.to / granule + i),
                                      thread_access(warp, site, copy.lane), clocks_, changes);
    if (conflict.is_none()) conflict = found;
  }
  return conflict;
}

/// Several threads may copy the same bytes: those of the last element, for example, by which
/// cooperative_groups::memcpy_async of CUDA 13 occupies lanes that have no element of their own.
bool BlockChecker::repeats_copies(const PendingCopy& copy) const {
  const std::uint32_t granule = sites_.shared_granule;
  for (std::uint32_t offset = 0; offset < copy.bytes; offset += granule) {
    const CopyUnderWay& under_way = copied_to_[(copy.to + offset) / granule];
    if (under_way.copies == 0 || std::memcmp(under_way.value.data(), &copy.data[offset], granule) != 0)
      return false;
  }
  return true;
}

void BlockChecker::begin_of_copy(const Warp& warp, const PendingCopy& copy, const AccessSite& global) {
  stop_repeating();
  note_deferred();
  if (copied_to_.empty()) {
    copied_to_.resize(launch_.shared_bytes / sites_.shared_granule + 1);
    copied_bits_.resize(copied_to_.size() / kBitsPerWord + 1);
  }
  AccessSite site = global;
  site.is_store = true;
  const bool repeats = repeats_copies(copy);
  if (!repeats) look_for_copies(warp, site, copy.lane, copy.to, copy.bytes);
  const Conflict conflict = note_copy(warp, copy, site, !repeats && changes_shared(warp, copy));
  if (!conflict.is_none() && launch_.checks.races)
    report_race(warp, site, {.lane = copy.lane, .address = copy.to}, conflict, false);
  const std::uint64_t first = copy.to / sites_.shared_granule;
  for (std::uint64_t i = 0; i < copy.bytes / sites_.shared_granule; ++i) {
    CopyUnderWay& under_way = copied_to_[first + i];
    under_way = {under_way.copies + 1, site.number, thread_access(warp, site, copy.lane).thread, {}};
    std::memcpy(under_way.value.data(), &copy.data[i * sites_.shared_granule], sites_.shared_granule);
    copied_bits_[(first + i) / kBitsPerWord] |= bit_of(first + i);
  }
  ++copies_under_way_;
}

void BlockChecker::end_of_copy(const Warp& warp, const PendingCopy& copy) {
  assert(copies_under_way_ != 0 && !copied_to_.empty());  // begin_of_copy() was called for it
  stop_repeating();
  note_deferred();
  const std::uint64_t first = copy.to / sites_.shared_granule;
  assert(copied_to_[first].copies != 0);
  AccessSite site = sites_.site(copied_to_[first].site);
  site.is_store = true;
  for (std::uint64_t i = 0; i < copy.bytes / sites_.shared_granule; ++i)
    if (--copied_to_[first + i].copies == 0) copied_bits_[(first + i) / kBitsPerWord] &= ~bit_of(first + i);
  --copies_under_way_;
  note_copy(warp, copy, site, changes_shared(warp, copy));
  values_.forget_memory(kSharedWindow + copy.to, copy.bytes);
}

void BlockChecker::forget_copies() {
  if (copies_under_way_ != 0) {
    std::fill(copied_to_.begin(), copied_to_.end(), CopyUnderWay{});
    std::fill(copied_bits_.begin(), copied_bits_.end(), 0);
  }
  copies_under_way_ = 0;
}

void BlockChecker::look_for_copies(const Warp& warp, const AccessSite& site, int lane, std::uint64_t offset,
                                   std::uint32_t bytes) {
  if (copies_under_way_ == 0 || !launch_.checks.races) return;
  // The instruction itself reports an access beyond the end.
  const std::uint64_t end = std::min<std::uint64_t>(offset + bytes, launch_.shared_bytes);
  for (std::uint64_t granule = offset / sites_.shared_granule; granule * sites_.shared_granule < end;
       ++granule) {
    const CopyUnderWay& copy = copied_to_[granule];
    if (copy.copies == 0) continue;
    return report_unfinished_copy(warp, site, {.lane = lane, .address = offset}, copy);
  }
}

void BlockChecker::look_for_copies(const Warp& warp, const AccessSite& site, const Addresses& offsets,
                                   std::uint32_t lanes) {
  std::uint64_t lowest = launch_.shared_bytes, highest = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t offset = offsets[std::countr_zero(rest)];
    lowest = std::min(lowest, offset);
    highest = std::max(highest, offset);
  }
  if (!is_copied_to(lowest, highest + site.bytes())) return;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    look_for_copies(warp, site, lane, offsets[lane], site.bytes());
  }
}

bool BlockChecker::is_copied_to(std::uint64_t begin, std::uint64_t end) const {
  end = std::min<std::uint64_t>(end, launch_.shared_bytes);
  if (begin >= end) return false;
  const std::uint64_t first = begin / sites_.shared_granule, last = (end - 1) / sites_.shared_granule;
  std::uint64_t found = 0;
  for (std::uint64_t word = first / kBitsPerWord; word <= last / kBitsPerWord; ++word)
    found |= copied_bits_[word];
  return found != 0;
}

void BlockChecker::barrier_object(const Warp& warp, const AccessSite& site, std::uint32_t lanes,
                                  std::uint64_t offset) {
  stop_repeating();
  note_deferred();
  const auto races = [&](std::uint32_t some) {
    bool found = false;
    for (std::uint32_t rest = some; rest != 0; rest &= rest - 1)
      found |= note_barrier(warp, site, std::countr_zero(rest), offset);
    return found;
  };
  // The first and the last lane represent all, unless one of them races. An access by one of the two races
  // with the other.
  const std::uint32_t ends = (lanes & -lanes) | std::bit_floor(lanes);
  if (races(ends) || clocks_.has_lane_clocks(warp.index)) races(lanes & ~ends);
}

bool BlockChecker::note_barrier(const Warp& warp, const AccessSite& site, int lane, std::uint64_t offset) {
  const std::uint32_t granule = sites_.shared_granule;
  const LaneAccess at{lane,
                      offset,
                      ptx::Space::shared,
                      warp.core->shared + offset,
                      shared_shadow_.span().from(offset / granule),
                      granule};
  const ThreadAccess access = thread_access(warp, site, lane);
  const bool arrives = site.is_store && site.is_atomic;
  if (arrives && note_quiet_atomic(at.shadow, access, clocks_, site.bytes() / granule)) return false;
  Conflict conflict;
  for (std::uint32_t i = 0; i < site.bytes() / granule; ++i) {
    const ShadowSpan span = at.shadow.from(i);
    constexpr bool kChanges = true;
    const Conflict found =
        site.is_store ? note_store(span, access, clocks_, kChanges) : note_load(span, access, clocks_);
    if (conflict.is_none()) conflict = found;
  }
  if (!conflict.is_none() && launch_.checks.races) report_race(warp, site, at, conflict, false);
  return !conflict.is_none();
}

}  // namespace vgpu::exec
