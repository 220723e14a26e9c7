// BlockChecker: loads of shared memory whose record waits (deferred_loads.hpp).
#include <algorithm>
#include <bit>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/lane_groups.hpp"
#include "vgpu/races/group_load.hpp"

namespace vgpu::exec {
namespace {

using Pattern = DeferredLoad::Pattern;

Pattern pattern_of(const Warp& warp, const Memo& memo) {
  if (warp.mask != kFullMask || memo.mask != kFullMask) return Pattern::scattered;
  switch (memo.pattern) {
    case Memo::Pattern::groups_contiguous:
      return Pattern::side_by_side;
    case Memo::Pattern::groups_uniform:
      return Pattern::uniform;
    case Memo::Pattern::scattered:
      break;
  }
  return Pattern::scattered;
}

/// Whether a key of kGroup adjacent granules is below `bound`.
bool has_lower(const std::int32_t* write, std::int32_t bound) {
  KeyVector lower{};
  for (unsigned i = 0; i < kGroup; i += kVectorKeys) lower |= keys_at(write + i) < bound;
  return any(lower);
}

bool has_from(const std::int32_t* write, std::int32_t bound) {
  KeyVector from{};
  for (unsigned i = 0; i < kGroup; i += kVectorKeys) from |= keys_at(write + i) >= bound;
  return any(from);
}

DeferredLoads::Granules granules_of(const Warp& warp, std::uint64_t base, const Memo& memo) {
  DeferredLoads::Granules granules{};
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    const bool is_active = (warp.mask >> lane & 1U) != 0;
    granules[lane] = is_active ? static_cast<std::uint32_t>(base + memo.delta[lane]) / kWordBytes : 0;
  }
  return granules;
}

}  // namespace

bool BlockChecker::defer(const Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                         const Memo& memo) {
  DeferredLoad load{.first = thread_access(warp, site, 0),
                    .pattern = pattern_of(warp, memo),
                    .mask = warp.mask,
                    .per_lane = 1};
  DeferredLoads::Granules granules;
  if (load.pattern == Pattern::scattered)
    granules = granules_of(warp, base, memo);
  else
    load.starts = group_starts(base, memo);
  const ReadState state = defer(load, granules);
  if (state.is_settled && !state.is_written)
    report_unwritten_lanes(warp, d, site, granules_of(warp, base, memo), oldest_write());
  return state.is_settled;
}

BlockChecker::ReadState BlockChecker::defer(DeferredLoad load, const DeferredLoads::Granules& granules) {
  const ReadState state = deferred_.has_stores() ? read_shared<true>(load, granules, oldest_write())
                                                 : read_shared<false>(load, granules, oldest_write());
  if (!state.is_settled) return state;
  if (load.pattern == Pattern::scattered) load.starts[0] = deferred_.put(granules);
  deferred_.add(load);
  return state;
}

template <bool kHasStores>
BlockChecker::ReadState BlockChecker::read_shared(const DeferredLoad& load,
                                                  const DeferredLoads::Granules& granules,
                                                  std::int32_t oldest) {
  // Without stores in this phase, all are settled.
  const std::int32_t unsettled = AccessKey::first_of(clocks_.settled(load.first.thread / kWarpLanes) + 1);
  const std::int32_t* write = shared_shadow_.span().write;
  ReadState state;
  const auto one = [&](std::uint32_t granule) {
    state.is_written &= write[granule] >= oldest;
    if constexpr (kHasStores) state.is_settled &= write[granule] < unsettled;
    deferred_.mark_read<kHasStores>(granule);
  };
  if (load.pattern == Pattern::scattered) {
    for (std::uint32_t rest = load.mask; rest != 0; rest &= rest - 1)
      one(granules[static_cast<unsigned>(std::countr_zero(rest))]);
    return state;
  }
  for (std::size_t group = 0; group < load.starts.size(); ++group) {
    const std::uint32_t start = load.starts[group];
    if (load.pattern == Pattern::uniform) {
      one(start);
    } else if (group < 2 || start != load.starts[group - 2]) {  // halves of a warp often load the same
      state.is_written &= !has_lower(write + start, oldest);
      if constexpr (kHasStores) state.is_settled &= !has_from(write + start, unsettled);
      deferred_.mark_group_read<kHasStores>(start);
    }
  }
  return state;
}

bool BlockChecker::stores_elsewhere(const AccessSite& site, std::uint64_t base, const Memo& memo) {
  if (!deferred_.are_waiting()) return true;
  const std::uint32_t granules = kGroup * site.bytes() / kWordBytes;
  deferred_.begin_store();
  bool is_read = false;
  for (unsigned first = 0; first < kWarpLanes && deferred_.have_loads() && !is_read; first += kGroup)
    is_read = deferred_.are_read(static_cast<std::uint32_t>(base + memo.delta[first]) / kWordBytes, granules);
  return !is_read;
}

bool BlockChecker::stores_elsewhere(const AccessSite& site, const Addresses& offsets, std::uint32_t lanes) {
  if (!deferred_.are_waiting()) return true;
  if (!site.is_store || site.is_atomic || site.is_strong) return false;
  deferred_.begin_store();
  const std::uint32_t granules = site.bytes() / kWordBytes;
  const std::uint64_t room = launch_.shared_bytes - site.bytes();
  for (std::uint32_t rest = lanes; rest != 0 && deferred_.have_loads(); rest &= rest - 1) {
    const std::uint64_t offset = offsets[static_cast<unsigned>(std::countr_zero(rest))];
    if (offset <= room && deferred_.are_read(static_cast<std::uint32_t>(offset / kWordBytes), granules))
      return false;
  }
  return true;
}

void BlockChecker::new_shared_load(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                                   const Memo& memo) {
  if (repeats_phase(warp, site, base, memo)) return;
  if (!site.stays_in_array(static_cast<std::uint32_t>(base + memo.lowest),
                           static_cast<std::uint32_t>(base + memo.highest)))
    look_for_overflow(warp, site, base, memo);
  if (deferred_.has_room() && defer(warp, d, site, base, memo)) return;
  note_deferred();
  note_shared_load(warp, d, site, base, memo);
}

void BlockChecker::new_wide_load(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                                 const Memo& memo) {
  if (repeats_phase(warp, site, base, memo)) return;
  if (defer_wide(warp, site, base, memo)) return;
  Addresses offsets{};
  for (int lane = 0; lane < kWarpLanes; ++lane)
    offsets[lane] = static_cast<std::uint32_t>(base + memo.delta[lane]);
  shared_access(warp, d, site, offsets, warp.mask);
}

/// Loads of unwritten words do not wait, as they are reported lane by lane, nor do loads after a store.
bool BlockChecker::defer_wide(const Warp& warp, const AccessSite& site, std::uint64_t base,
                              const Memo& memo) {
  if (!site.stays_in_array(static_cast<std::uint32_t>(base + memo.lowest),
                           static_cast<std::uint32_t>(base + memo.highest)))
    return false;
  return defer_wide({.first = thread_access(warp, site, 0),
                     .pattern = pattern_of(warp, memo),
                     .mask = warp.mask,
                     .per_lane = site.bytes() / kWordBytes,
                     .starts = group_starts(base, memo)});
}

bool BlockChecker::defer_wide(const DeferredLoad& load) {
  if (!deferred_.has_room() || deferred_.has_stores() || load.pattern == Pattern::scattered) return false;
  const std::int32_t oldest = oldest_write();
  const std::int32_t* write = shared_shadow_.span().write;
  const bool side_by_side = load.pattern == Pattern::side_by_side;
  for (const std::uint32_t start : load.starts)
    for (std::uint32_t i = 0; i < load.per_lane; ++i)
      if (side_by_side ? has_lower(write + start + std::size_t{i} * kGroup, oldest)
                       : write[start + i] < oldest)
        return false;
  for (const std::uint32_t start : load.starts)
    for (std::uint32_t i = 0; i < load.per_lane; ++i)
      side_by_side ? deferred_.mark_group_read<false>(start + i * kGroup)
                   : deferred_.mark_read<false>(start + i);
  deferred_.add(load);
  return true;
}

void BlockChecker::report_unwritten_lanes(const Warp& warp, const Decoded& d, const AccessSite& site,
                                          const DeferredLoads::Granules& granules, std::int32_t oldest) {
  const std::int32_t* write = shared_shadow_.span().write;
  stop_repeating();
  std::uint32_t lanes = 0;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    lanes |= (write[granules[lane]] < oldest ? 1U : 0U) << lane;
  lanes &= warp.mask;
  const int first = std::countr_zero(lanes);
  const std::uint64_t offset = std::uint64_t{granules[static_cast<unsigned>(first)]} * kWordBytes;
  report_unwritten(warp, d, site, {.lane = first, .address = offset}, lanes, (1U << kWordBytes) - 1);
}

/// No granule has a store that is not settled, and unwritten ones are reported already: only the readers are
/// recorded, as shared_load() would have done.
void BlockChecker::note_deferred() {
  if (!deferred_.are_waiting()) return;
  const ShadowSpan all = shared_shadow_.span();
  for (const DeferredLoad& load : deferred_.loads()) {
    const WarpLoad values = warp_load(load.first, clocks_, false);
    if (load.pattern == Pattern::scattered) {
      const auto& granules = deferred_.granules_of(load);
      for (std::uint32_t rest = load.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        ThreadAccess access = load.first;
        access.thread += lane;
        note_read(all.from(granules[lane]), access, clocks_);
      }
      continue;
    }
    for (unsigned group = 0; group < load.starts.size(); ++group) {
      const ShadowSpan at = all.from(load.starts[group]);
      const LaneGroups lanes(group * kGroup, load.per_lane);
      const bool is_new = group == 0 || load.starts[group] != load.starts[group - 1];
      for (unsigned i = 0; i < load.per_lane; ++i) {
        if (load.pattern == Pattern::side_by_side)
          note_group_load(at.from(std::size_t{i} * kGroup), values, lanes.lanes(i), clocks_);
        else if (is_new)
          note_uniform_load(at.from(i), values, group * kGroup, (group + 1) * kGroup - 1, clocks_);
      }
    }
  }
  deferred_.restart(false);
}

}  // namespace vgpu::exec
