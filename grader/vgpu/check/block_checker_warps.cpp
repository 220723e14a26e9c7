// BlockChecker: plain accesses of whole warps by a pattern of addresses that is known from the instruction's
// memo.
#include <algorithm>
#include <array>
#include <bit>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/lane_groups.hpp"
#include "vgpu/check/load_parts.hpp"

namespace vgpu::exec {
namespace {

/// The lanes of a group, as a mask.
std::uint32_t lanes_of_group(unsigned first) { return 0xFFU << first; }

/// Whether each group of lanes continues the one before.
bool is_one_row(const Memo& memo, std::uint32_t bytes) {
  std::uint64_t elsewhere = 0;
  for (unsigned first = kGroup; first < kWarpLanes; first += kGroup)
    elsewhere |= memo.delta[first] ^ (std::uint64_t{first} * bytes);
  return elsewhere == 0;
}

}  // namespace

bool BlockChecker::is_written(std::uint64_t base, const LoadPlan& plan, std::uint32_t bytes) const {
  return std::all_of(plan.parts().begin(), plan.parts().end(), [&](const LoadPlan::Part& part) {
    return memory_.is_written(base + part.delta, std::size_t{part.elements()} * bytes);
  });
}

[[gnu::always_inline]] inline bool BlockChecker::are_known_loads(std::uint64_t base, const LoadPlan& plan,
                                                                 unsigned per_lane, std::int32_t unsettled) {
  for (const LoadPlan::Stretch& stretch : plan.stretches()) {
    const std::uint64_t granule = global_granule(base + stretch.delta);
    const std::size_t at = granule % GlobalShadow::kPageGranules;
    const unsigned count = stretch.elements * per_lane;
    if (at + count > GlobalShadow::kPageGranules) return false;
    const GlobalShadow::Page& page = global_shadow_.page(granule / GlobalShadow::kPageGranules);
    if (!page.known.has(at, count, unsettled)) return false;
  }
  return true;
}

[[gnu::always_inline]] inline bool BlockChecker::wait_in_row(const Warp& warp, const AccessSite& site,
                                                             std::uint64_t base, const LoadPlan& plan) {
  RowLoads::Loop* loop = rows_.find(plan.rows(), warp.index, base);
  if (loop == nullptr) {
    begin_loop(warp, base, plan);
    return false;
  }
  const bool can_wait = (loop->waits() && loop->has_room()) || begin_rows(*loop, warp, site, base, plan);
  if (can_wait) rows_.add(*loop, base, site.number, site.bytes() >> global_shift_);
  return can_wait;
}

bool BlockChecker::note_row(const Warp& warp, const AccessSite& site, std::uint64_t address, unsigned first,
                            unsigned lanes) {
  const std::uint64_t granule = global_granule(address);
  GlobalShadow::Page* page = global_shadow_.known_page(granule / GlobalShadow::kPageGranules);
  const auto at = static_cast<std::uint32_t>(granule % GlobalShadow::kPageGranules);
  if (page == nullptr || at + lanes > GlobalShadow::kPageGranules || site.bytes() != sites_.global_granule)
    return false;
  const std::int32_t key = AccessKey(clocks_.now(warp.index), warp.index * kWarpLanes + first, 0).bits();
  if (page->continue_row(at, lanes, key, site.number, site.is_store)) return true;
  return !site.is_store && page->known.has(at, lanes, AccessKey::first_of(clocks_.settled(warp.index) + 1));
}

/// Marks memory in which rows end.
inline auto BlockChecker::mark_unstored() {
  return [this](std::uint64_t address, std::uint64_t size_bytes) {
    unstored_reads_.mark_all(global_granule(address), size_bytes >> global_shift_);
  };
}

const ReadMap& BlockChecker::unstored_reads() {
  unstored_rows_.take_all(mark_unstored());
  return unstored_reads_;
}

void BlockChecker::note_unstored(const Decoded& d, const AccessSite& site, std::uint64_t base,
                                 const Memo& memo) {
  const unsigned granules = site.bytes() >> global_shift_;
  LoadPlan& plan = plans_[d.memo];
  if (!plan.is_of(memo)) plan.make(memo);
  if (plan.rows().has_rows()) return unstored_rows_.add(plan.rows(), base, mark_unstored());
  if (!plan.parts().empty()) {
    for (const LoadPlan::Stretch& stretch : plan.stretches())
      unstored_reads_.mark_all(global_granule(base + stretch.delta), stretch.elements * granules);
    return;
  }
  for (std::uint32_t rest = memo.mask; rest != 0; rest &= rest - 1)
    unstored_reads_.mark(global_granule(base + memo.delta[std::countr_zero(rest)]), granules);
}

/// Records what global_access() would record lane by lane or group by group.
bool BlockChecker::note_by_plan(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                                const Memo& memo) {
  const bool is_of_warp = memo.mask == warp.mask && memo.form.space == ptx::Space::global && !memo.constant &&
                          memo.form.bytes == site.bytes();
  if (!is_of_warp) return false;
  LoadPlan& plan = plans_[d.memo];
  if (!plan.is_of(memo)) plan.make(memo);
  if (plan.parts().empty()) return false;
  if (!plan.has_written(memo.allocation, commits_)) {
    if (!finds_unwritten() || memory_.is_all_written(memo.allocation))
      plan.set_written(memo.allocation, commits_);
    else if (!is_written(base, plan, site.bytes()))
      return false;
  }
  if (plan.spaced().count != 0) {
    const std::uint32_t rest = note_spaced(warp, site, base, plan.spaced());
    if (rest != warp.mask) {
      if (rest != 0) global_access(warp, d, site, addresses_of_memo(base, memo), rest);
      return true;
    }
  }
  if (plan.rows().has_rows() && wait_in_row(warp, site, base, plan)) return true;
  const std::int32_t unsettled = AccessKey::first_of(clocks_.settled(warp.index) + 1);
  if (!are_known_loads(base, plan, site.bytes() >> global_shift_, unsettled))
    note_plan(warp, d, site, base, plan);
  return true;
}

bool BlockChecker::shared_store(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                                const Memo& memo) {
  if (repeats_access(warp, site, base, memo)) return true;
  const std::uint32_t bytes = site.bytes();
  const bool fits = bytes <= launch_.shared_bytes && base + memo.lowest <= launch_.shared_bytes - bytes &&
                    base + memo.highest <= launch_.shared_bytes - bytes;
  const bool is_aligned = ((base | memo.alignment) & (bytes - 1)) == 0;
  if (!fits || !is_aligned || copies_under_way_ != 0) return false;
  if (!site.stays_in_array(base + memo.lowest, base + memo.highest)) return false;
  if (repeats_phase(warp, site, base, memo)) return true;
  if (!stores_elsewhere(site, base, memo)) note_deferred();
  const std::uint32_t granule = sites_.shared_granule;
  for (unsigned first = 0; first < kWarpLanes; first += kGroup) {
    const std::uint64_t offset = base + memo.delta[first];
    const LaneGroups groups(first, bytes / granule);
    if (!note_shared_stores(warp, d, site, offset, groups, first))
      shared_access(warp, d, site, addresses_of_memo(base, memo), lanes_of_group(first));
  }
  return true;
}

std::uint32_t BlockChecker::note_lane_stores(const Warp& warp, const AccessSite& site, std::uint64_t base,
                                             const Memo& memo) {
  std::uint32_t rest = warp.mask;
  if (site.bytes() != sites_.global_granule) return rest;
  const std::int32_t key = AccessKey(clocks_.now(warp.index), warp.index * kWarpLanes, 0).bits();
  const std::int32_t unsettled = AccessKey::first_of(clocks_.settled(warp.index) + 1);
  GlobalShadow::Page* page = nullptr;
  for (; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t granule = global_granule(base + memo.delta[lane]);
    const std::uint64_t number = granule / GlobalShadow::kPageGranules;
    if (page == nullptr || page->number != number) page = &global_page(number);
    const std::size_t at = granule % GlobalShadow::kPageGranules;
    if (!page->records.note_lane_store(at, key + lane, unsettled, site.number, false)) break;
    page->mark_record(at, true);
  }
  return rest;
}

bool BlockChecker::wait_in_columns(const Warp& warp, const AccessSite& site, std::uint64_t base,
                                   const RowShape& shape) {
  if (site.bytes() != sites_.global_granule || !ColumnStores::can_wait(shape)) return false;
  const std::uint64_t first = global_granule(base);
  if (!columns_.are_rows_of(shape, first) && !begin_columns(base, shape)) return false;
  const std::int32_t key = AccessKey(clocks_.now(warp.index), warp.index * kWarpLanes, 0).bits();
  if (columns_.add(first, key, site.number)) return true;
  note_columns();
  return false;
}

bool BlockChecker::begin_columns(std::uint64_t base, const RowShape& shape) {
  ColumnStores::Rows rows;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    const std::uint64_t granule = global_granule(base + lane * shape.stride);
    GlobalShadow::Page& page = global_shadow_.page(granule / GlobalShadow::kPageGranules);
    if (page.state != GlobalShadow::Page::State::fresh) return false;
    rows[lane] = {&page, static_cast<std::uint32_t>(granule % GlobalShadow::kPageGranules)};
  }
  if (columns_.are_waiting()) note_columns();
  for (const ColumnStores::Row& row : rows) {
    row.page->begin_to_wait();
    row.page->has_stores = true;
  }
  columns_.begin(rows, shape, global_granule(base));
  return true;
}

void BlockChecker::note_columns() {
  for (const ColumnStores::Row& row : columns_.rows()) row.page->end_to_wait();
  columns_.take([&](GlobalShadow::Page& page, const SpacedRun& run) {
    if (page.add_spaced(run)) return;
    complete(page);
    page.record(run);
  });
}

bool BlockChecker::spaced_store(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                                const Memo& memo) {
  LoadPlan& plan = plans_[d.memo];
  if (!plan.is_of(memo)) plan.make(memo);
  if (needs_changes()) return false;
  const SpacedLanes& spaced = plan.spaced();
  // Lanes at a short stride are one run.
  if (spaced.count == 0 && wait_in_columns(warp, site, base, plan.rows())) {
    has_stored_globally_ = true;
    return true;
  }
  const std::uint32_t rest = spaced.count != 0 && spaced.width == 1
                                 ? note_spaced(warp, site, base, spaced)
                                 : note_lane_stores(warp, site, base, memo);
  if (rest == warp.mask) return false;
  has_stored_globally_ = true;
  if (rest != 0) global_access(warp, d, site, addresses_of_memo(base, memo), rest);
  return true;
}

bool BlockChecker::note_global_store(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                                     const Memo& memo) {
  if (warp.mask != kFullMask || site.elements != 1 || memo.pattern == Memo::Pattern::groups_uniform)
    return false;
  const std::uint32_t bytes = site.bytes();
  const Segment* segment =
      memo.highest - memo.lowest < kAllocationStart
          ? memory_.holding(base + memo.lowest, static_cast<std::size_t>(memo.highest - memo.lowest) + bytes)
          : nullptr;
  if (segment == nullptr || segment->purpose == Purpose::constant) return false;
  if (((base | memo.alignment) & (bytes - 1)) != 0) return false;
  if (memo.pattern == Memo::Pattern::scattered) return spaced_store(warp, d, site, base, memo);
  has_stored_globally_ = true;
  constexpr std::size_t kWidestElement = 8;
  std::array<std::byte, kWarpLanes * kWidestElement> now;
  const bool needs_changes = this->needs_changes();
  const unsigned lanes = is_one_row(memo, bytes) ? kWarpLanes : kGroup;
  if (!needs_changes && lanes == kWarpLanes && note_row(warp, site, base, 0, kWarpLanes)) return true;
  if (needs_changes) {
    for (unsigned first = 0; first < kWarpLanes; first += lanes)
      read_now(warp, *segment, base + memo.delta[first], now.data() + first * bytes,
               std::size_t{lanes} * bytes);
  }
  if (!needs_changes && lanes == kWarpLanes && note_stores_in_page(warp, site, base, 0, 0, kWarpLanes))
    return true;
  for (unsigned first = 0; first < kWarpLanes; first += kGroup) {
    const unsigned changing =
        needs_changes ? changing_lanes(warp, d, site, now.data() + first * bytes, first) : 0U;
    if (!note_stores_in_page(warp, site, base + memo.delta[first], first, changing))
      global_access(warp, d, site, addresses_of_memo(base, memo), lanes_of_group(first));
  }
  return true;
}

}  // namespace vgpu::exec
