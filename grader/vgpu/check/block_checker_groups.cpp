// BlockChecker: plain accesses of up to eight lanes side by side, or of lanes to one place.
#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/lane_groups.hpp"
#include "vgpu/check/load_parts.hpp"
#include "vgpu/races/group_load.hpp"

namespace vgpu::exec {
namespace {

bool is_plain(const AccessSite& site) { return !site.is_atomic && !site.is_strong; }

/// Of lanes side by side; `key`: the first lane's.
SpacedRun row_of(std::size_t at, std::uint32_t granules, std::int32_t key, SiteIndex site, bool is_store,
                 std::uint32_t per_lane) {
  const Spacing spacing{.shift = static_cast<std::uint8_t>(std::countr_zero(per_lane))};
  return {{static_cast<std::uint32_t>(at), granules, spacing}, key, site, is_store};
}

/// Whether the granules of the part's whole groups of lanes, whose keys are loaded, are in the page.
bool has_groups_in_page(std::size_t at, const LoadPart& part, unsigned per_lane) {
  if (part.has_whole_groups()) return true;
  const std::size_t before = std::size_t{part.first % kGroup} * per_lane,
                    all = std::size_t{kGroup} * per_lane;
  constexpr std::size_t kBits = 64;
  return all <= kBits && at >= before && at - before + all <= GlobalShadow::kPageGranules;
}

template <class Granules>
bool is_known_group(GlobalShadow::Page& page, std::size_t first, const WarpLoad& load, Granules granules) {
  const bool is_known = is_known_group_load(page.all.from(first), load, granules);
  if (is_known) page.known.add(first, granules.bits, load.unsettled);
  return is_known;
}

}  // namespace

bool BlockChecker::shared_group(Warp& warp, const Decoded& d, const AccessSite& site,
                                const Addresses& offsets, int first) {
  const LaneShape shape = shape_of(offsets, static_cast<unsigned>(first), site.bytes());
  const bool needs_rows = site.is_store || !is_plain(site);
  if (shape == LaneShape::scattered || (needs_rows && shape == LaneShape::uniform)) return false;
  if (!is_plain(site) && !has_strong_groups(warp, site)) return false;
  const std::uint64_t offset = offsets[first];
  if (!is_aligned(offset, site.bytes())) return false;
  const std::uint32_t granule = sites_.shared_granule, per_lane = site.bytes() / granule;
  const std::uint32_t size = site.bytes() * (shape == LaneShape::uniform ? 1 : kGroup);
  if (offset > launch_.shared_bytes || size > launch_.shared_bytes - offset) return false;
  const ShadowSpan at = shared_shadow_.span().from(offset / granule);
  const WarpLoad load = warp_load(thread_access(warp, site, 0), clocks_, finds_unwritten());
  const auto lane = static_cast<unsigned>(first);
  if (shape == LaneShape::uniform) {
    for (unsigned i = 0; i < per_lane; ++i)
      if (!note_uniform_load(at.from(i), load, lane, lane + kGroup - 1, clocks_)) return false;
    return true;
  }
  const LaneGroups groups(lane, per_lane);
  if (site.is_store) return note_shared_stores(warp, d, site, offset, groups, lane);
  for (unsigned group = 0; group < groups.count(); ++group)
    if (!note_shared_group_load(at.from(std::size_t{group} * kGroup), load, groups.lanes(group)))
      return false;
  return true;
}

bool BlockChecker::note_shared_group_load(const ShadowSpan& at, const WarpLoad& load,
                                          const GroupLanes& lanes) {
  if (load.first.flags == 0 && note_group_load(at, load, lanes, clocks_)) return true;
  return equal_stores_.empty() && note_ordered_group_load(at, load, lanes, clocks_);
}

/// Atomic stores can hide plain ones, and what acquires or releases changes clocks.
bool BlockChecker::has_strong_groups(const Warp& warp, const AccessSite& site) const {
  const bool is_atomic_store = site.is_store && strong_flags(warp, site) == AccessKey::kAtomic;
  return !site.is_atomic && !site.acquires && !site.releases && !is_atomic_store && equal_stores_.empty();
}

bool BlockChecker::note_shared_stores(const Warp& warp, const Decoded& d, const AccessSite& site,
                                      std::uint64_t offset, const LaneGroups& groups, unsigned first) {
  const ShadowSpan at = shared_shadow_.span().from(offset / sites_.shared_granule);
  const unsigned changing = changing_lanes(warp, d, site, warp.core->shared + offset, first);
  for (unsigned group = 0; group < groups.count(); ++group) {
    const GroupLanes lanes = groups.lanes(group);
    const ThreadAccess access = thread_access(warp, site, static_cast<int>(lanes.first));
    if (!note_group_store(at.from(std::size_t{group} * kGroup), access, lanes.shift, clocks_,
                          groups.granules(group, changing)))
      return false;
  }
  return true;
}

bool BlockChecker::note_loads_in(GlobalShadow::Page& page, std::size_t at, const WarpLoad& load,
                                 const LaneGroups& groups) {
  if (page.records.note_first_loads(at, load, groups)) {
    page.mark_records(at, groups.count(), false);
    return true;
  }
  for (unsigned group = 0; group < groups.count(); ++group, at += kGroup)
    if (!page.known.has(at, kGroup, load.unsettled) && !note_load_in(page, at, load, groups.lanes(group)))
      return false;
  return true;
}

bool BlockChecker::note_load_in(GlobalShadow::Page& page, std::size_t at, const WarpLoad& load,
                                const GroupLanes& lanes) {
  if (at % kGroup == 0) {
    const std::size_t group = at / kGroup;
    if (page.records.are_known(group, AllGranules::bits, load)) {
      page.known.add(at, AllGranules::bits, load.unsettled);
      return true;
    }
    if (page.records.note_load(group, load, lanes)) {
      page.mark_record(at, false);
      return true;
    }
  }
  return note_keys_in(page, at, load, lanes, AllGranules{});
}

template <class Granules>
bool BlockChecker::note_keys_in(GlobalShadow::Page& page, std::size_t at, const WarpLoad& load,
                                const GroupLanes& lanes, Granules granules) {
  const ShadowSpan keys = page.keys(at, kGroup);
  if (is_known_group(page, at, load, granules)) return true;
  page.mark(at, kGroup, false);
  return note_group_load(keys, load, lanes, clocks_, granules);
}

template <class Sites>
bool BlockChecker::note_uniform_load_in(GlobalShadow::Page& page, std::size_t at, unsigned granules,
                                        const WarpLoad& load, unsigned first, unsigned last, Sites of) {
  const auto in_group = static_cast<unsigned>(at % kGroup);
  if (in_group + granules <= kGroup) {
    const unsigned bits = ((1U << granules) - 1) << in_group;
    if (page.records.are_known(at / kGroup, bits, load)) {
      page.known.add(at, bits >> in_group, load.unsettled);
      return true;
    }
    if (page.records.note_uniform_load(at / kGroup, bits, load, first, last, of)) {
      page.mark_record(at, false);
      return true;
    }
  }
  const ShadowSpan keys = page.keys(at, granules);
  WarpLoad one = load;
  for (unsigned i = 0; i < granules; ++i) {
    if (is_known_uniform_load(keys.from(i), load)) {
      page.known.add(at + i, 1, load.unsettled);
      continue;
    }
    page.mark(at + i, 1, false);
    one.first.site = of[in_group + i];
    if (!note_uniform_load(keys.from(i), one, first, last, clocks_)) return false;
  }
  return true;
}

bool BlockChecker::note_store_in(GlobalShadow::Page& page, std::size_t at, const ThreadAccess& access,
                                 unsigned shift, unsigned changed) {
  const unsigned warp = access.thread / BlockClocks::kLanes;
  const std::int32_t key = AccessKey(clocks_.now(warp), access.thread, access.flags).bits();
  const std::int32_t unsettled = AccessKey::first_of(clocks_.settled(warp) + 1);
  if (at % kGroup == 0 && page.records.note_store(at / kGroup, key, unsettled, access.site, shift, changed)) {
    page.mark_record(at, true);
    return true;
  }
  const ShadowSpan keys = page.keys(at, kGroup);
  page.mark(at, kGroup, true);
  return note_group_store(keys, access, shift, clocks_, changed);
}

bool BlockChecker::global_stores(const Warp& warp, const Decoded& d, const AccessSite& site,
                                 const Addresses& addresses, unsigned first) {
  const std::uint64_t address = addresses[first];
  const std::size_t size = std::size_t{kGroup} * site.bytes();
  if (shape_of(addresses, first, site.bytes()) != LaneShape::side_by_side ||
      !is_aligned(address, site.bytes()))
    return false;
  const Segment* segment = memory_.holding(address, size);
  if (segment == nullptr || segment->purpose == Purpose::constant) return false;
  if (!needs_changes()) return note_stores_in_page(warp, site, address, first, 0);
  std::array<std::byte, kGroup * kWidestAccess> now;
  read_now(warp, *segment, address, now.data(), size);
  return note_stores_in_page(warp, site, address, first, changing_lanes(warp, d, site, now.data(), first));
}

std::uint32_t BlockChecker::note_store_rows(const Warp& warp, const AccessSite& site,
                                            const Addresses& addresses, std::uint32_t lanes) {
  if (needs_changes()) return lanes;
  const std::uint32_t bytes = site.bytes(), per_lane = bytes >> global_shift_;
  const std::int32_t key = AccessKey(clocks_.now(warp.index), warp.index * kWarpLanes, 0).bits();
  while (lanes != 0) {
    constexpr unsigned kFirstLane = 0;
    const LoadPart row = LoadPart::next(addresses, bytes, kFirstLane, lanes);
    const std::uint64_t address = addresses[row.first];
    const std::size_t at = global_granule(address) % GlobalShadow::kPageGranules;
    const std::uint32_t granules = row.lanes() * per_lane;
    if (row.is_uniform || !is_aligned(address, bytes) || at + granules > GlobalShadow::kPageGranules) break;
    const Segment* segment = memory_.holding(address, std::size_t{row.lanes()} * bytes);
    if (segment == nullptr || segment->purpose == Purpose::constant) break;
    GlobalShadow::Page& page = global_shadow_.page(global_granule(address) / GlobalShadow::kPageGranules);
    const std::int32_t first_key = key + static_cast<std::int32_t>(row.first);
    constexpr bool kIsStore = true;
    if (!page.add_spaced(row_of(at, granules, first_key, site.number, kIsStore, per_lane))) break;
    lanes &= ~(kFullMask >> (kWarpLanes - row.lanes()) << row.first);
  }
  return lanes;
}

[[gnu::always_inline]] inline bool BlockChecker::note_part(GlobalShadow::Page& page, std::size_t at,
                                                           const LoadPart& part, const WarpLoad& load,
                                                           unsigned per_lane, bool begins_row) {
  // Loads in two pages have no common span.
  const unsigned granules = part.elements() * per_lane;
  if (at + granules > GlobalShadow::kPageGranules) return false;
  if (page.state != GlobalShadow::Page::State::recorded) [[unlikely]] {
    const std::int32_t key = load.key + static_cast<std::int32_t>(part.first);
    constexpr bool kIsStore = false;
    if (!part.is_uniform && per_lane == 1 &&
        page.continue_row(static_cast<std::uint32_t>(at), granules, key, load.first.site, kIsStore))
      return true;
    SpacedRun row = row_of(at, granules, key, load.first.site, kIsStore, per_lane);
    const bool is_lone_lane = part.lanes() == 1;
    if (is_lone_lane) row.other_lane = 0;
    const bool can_be_run = !part.is_uniform || (begins_row && is_lone_lane);
    // Most pages have no granules that several threads load.
    if (can_be_run && page.again.empty() && page.add_spaced(row)) return true;
    const bool can_wait = !part.is_uniform && has_groups_in_page(at, part, per_lane);
    if (can_wait ? add_row(page, row, load.unsettled)
                 : !page.again.empty() && can_be_run && page.add_spaced(row))
      return true;
    complete(page);
  }
  if (part.is_uniform) {
    if (page.records.reads_on(at, per_lane, load, part.first, part.last)) {
      page.mark_record(at, false);
      return true;
    }
    return note_uniform_load_in(page, at, per_lane, load, part.first, part.last, OneSite{load.first.site});
  }
  return part.has_whole_groups() ? note_loads_in(page, at, load, {part.first, per_lane, part.lanes()})
                                 : note_loads_of_some(page, at, part, load, per_lane);
}

bool BlockChecker::global_loads(const Warp& warp, const AccessSite& site, std::uint64_t address,
                                const LoadPart& part) {
  if (!is_aligned(address, site.bytes())) return false;
  const std::size_t size = std::size_t{site.bytes()} * part.elements();
  const Segment* segment = memory_.holding(address, size);
  if (segment == nullptr) return false;
  if (segment->purpose == Purpose::constant) {
    note_constant(address, size);
    return true;
  }
  // The lane-by-lane check reports reads of unwritten memory.
  if (finds_unwritten() && !segment->written.are_all() && !memory_.is_written(address, size)) return false;
  const WarpLoad load = warp_load(thread_access(warp, site, 0), clocks_, false);
  const std::uint64_t granule = global_granule(address);
  return note_part(global_shadow_.page(granule / GlobalShadow::kPageGranules),
                   granule % GlobalShadow::kPageGranules, part, load, site.bytes() >> global_shift_, false);
}

bool BlockChecker::note_loads_of_some(GlobalShadow::Page& page, std::size_t at, const LoadPart& part,
                                      const WarpLoad& load, unsigned per_lane) {
  if (!has_groups_in_page(at, part, per_lane)) return false;
  const unsigned skipped = part.first % kGroup;
  const std::size_t before = std::size_t{skipped} * per_lane;
  constexpr std::size_t kBits = 64;
  const std::uint64_t loaded = ~std::uint64_t{0} >> (kBits - std::size_t{part.lanes()} * per_lane) << before;
  const LaneGroups groups(part.first - skipped, per_lane);
  for (unsigned group = 0; group < groups.count(); ++group) {
    const SomeGranules granules{static_cast<unsigned>(loaded >> group * kGroup & 0xFFU)};
    const std::size_t start = at - before + std::size_t{group} * kGroup;
    if (granules.bits != 0 && !note_keys_in(page, start, load, groups.lanes(group), granules)) return false;
  }
  return true;
}

void BlockChecker::note_plan(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                             const LoadPlan& plan) {
  const ThreadAccess first_lane{warp.index * kWarpLanes, 0, false, site.number};  // a plain load
  const WarpLoad load = warp_load(first_lane, clocks_, false);
  const unsigned per_lane = site.bytes() >> global_shift_;
  GlobalShadow::Page* page = nullptr;
  for (const LoadPlan::Part& part : plan.parts()) {
    if (part.is_between && !has_stored_globally_) continue;
    const std::uint64_t address = base + part.delta, granule = global_granule(address);
    const std::uint64_t number = granule / GlobalShadow::kPageGranules;
    if (page == nullptr || page->number != number) page = &global_shadow_.page(number);
    if (note_part(*page, granule % GlobalShadow::kPageGranules, part, load, per_lane, plan.rows().has_rows()))
      continue;
    Addresses addresses;
    for (unsigned lane = part.first; lane <= part.last; ++lane)
      addresses[lane] = address + (part.is_uniform ? 0 : std::uint64_t{lane - part.first} * site.bytes());
    global_access(warp, d, site, addresses, kFullMask >> (kWarpLanes - part.lanes()) << part.first);
  }
}

void BlockChecker::complete(GlobalShadow::Page& page) {
  using State = GlobalShadow::Page::State;
  if (page.state == State::waiting) note_rows();
  if (page.state == State::spaced) page.record_spaced();
  page.state = State::recorded;
  if (page.again.empty()) return;
  page.known.forget();  // the rows make granules known
  for (const SpacedRun& row : page.again) note_again(page, row);
  page.again.clear();
}

/// A load changes the first reader of a granule only if that thread loads again or is ordered before it.
bool BlockChecker::add_row(GlobalShadow::Page& page, const SpacedRun& row, std::int32_t unsettled) {
  if (page.known.has(row.at, row.granules, unsettled)) return true;
  constexpr std::size_t kMostAgain = 128;
  if (page.state != GlobalShadow::Page::State::spaced || page.has_stores || page.again.size() == kMostAgain)
    return false;
  const unsigned warp = AccessKey(row.key).thread() / kWarpLanes;
  std::uint32_t of_two_warps = 0;
  bool is_new = true;
  for (std::uint32_t done = 0, here = 0; done < row.granules; done += here) {
    const auto [run, granules] = page.spaced.part_of(row, done);
    here = granules;
    if ((here & (row.spacing.element() - 1)) != 0) return false;
    const SpacedRun part = row.part(done, here);
    if (run == nullptr) {
      if (!page.add_spaced(part)) return false;
      continue;
    }
    is_new = false;
    const auto before = run->threads_of(part.at - run->at, here);
    if (!run->is_row() || !run->has_other_threads_than(part) || !is_current(*run, before)) return false;
    if (warp < before.first / kWarpLanes || warp > before.last / kWarpLanes) of_two_warps += here;
  }
  if (is_new) return true;
  if (page.again.empty()) loaded_again_.push_back(&page);
  page.again.push_back(row);
  for (std::uint32_t done = 0; of_two_warps == row.granules && done < row.granules; done += kGroup)
    page.known.add(row.at + done, AllGranules::bits >> (kGroup - std::min(row.granules - done, kGroup)),
                   unsettled);
  return true;
}

/// Whether no other thread can have been ordered after the run's loads by these threads.
bool BlockChecker::is_current(const SpacedRun& run, const SpacedRun::ThreadRange& threads) const {
  for (unsigned warp = threads.first / kWarpLanes; warp <= threads.last / kWarpLanes; ++warp)
    if (clocks_.now(warp) != AccessKey(run.key).clock()) return false;
  return true;
}

void BlockChecker::note_again(GlobalShadow::Page& page, const SpacedRun& row) {
  const unsigned thread = AccessKey(row.key).thread(), lane = thread % kWarpLanes;
  const unsigned per_lane = row.spacing.element(), lanes = row.granules / per_lane;
  const ThreadAccess first_lane{thread - lane, 0, false, row.site};
  const WarpLoad load = warp_load(first_lane, clocks_, false);
  constexpr bool kBeginsRow = false;
  note_part(page, row.at, {lane, lane + lanes - 1, false}, load, per_lane, kBeginsRow);
}

void BlockChecker::note_pages_again() {
  for (GlobalShadow::Page* page : loaded_again_) complete(*page);
  loaded_again_.clear();
}

std::uint32_t BlockChecker::note_spaced(const Warp& warp, const AccessSite& site, std::uint64_t base,
                                        const SpacedLanes& lanes) {
  const std::uint32_t per_lane = site.bytes() >> global_shift_;
  const auto distance = static_cast<std::uint32_t>(lanes.stride >> global_shift_);
  const Spacing spacing{static_cast<std::uint8_t>(std::countr_zero(per_lane)),
                        static_cast<std::uint16_t>(distance - per_lane)};
  const auto other_lane = site.is_store ? SpacedRun::kOneReader : static_cast<std::int8_t>(lanes.width - 1);
  std::uint64_t granule = global_granule(base);
  unsigned done = 0;
  while (done < lanes.count) {
    const auto at = static_cast<std::uint32_t>(granule % GlobalShadow::kPageGranules);
    const std::uint32_t room = GlobalShadow::kPageGranules - 1 - at;
    unsigned here = lanes.count - done;
    if ((here - 1) * distance > room) here = room / distance + 1;
    const unsigned thread = warp.index * kWarpLanes + lanes.first + done * lanes.step;
    const std::int32_t key = AccessKey(clocks_.now(warp.index), thread, 0).bits();
    GlobalShadow::Page& page = global_shadow_.page(granule / GlobalShadow::kPageGranules);
    SpacedRun run{{at, here * per_lane, spacing}, key, site.number, site.is_store};
    run.step = static_cast<std::uint16_t>(lanes.step);
    run.other_lane = other_lane;
    if (!page.add_spaced(run)) break;
    done += here;
    granule += std::uint64_t{here} * distance;
  }
  return lanes.from(done, warp.mask);
}

void BlockChecker::begin_loop(const Warp& warp, std::uint64_t base, const LoadPlan& plan) {
  RowLoads::Loop& loop = rows_.place();
  note_rows(loop);
  loop.shape = plan.rows();
  loop.warp = warp.index;
  rows_.expect_after(loop, base);
}

bool BlockChecker::begin_rows(RowLoads::Loop& loop, const Warp& warp, const AccessSite& site,
                              std::uint64_t base, const LoadPlan& plan) {
  note_rows(loop);
  rows_.expect_after(loop, base);
  const unsigned per_lane = site.bytes() >> global_shift_;
  std::uint64_t room = plan.rows().length();
  loop.row_count = 0;
  for (const LoadPlan::Part& part : plan.parts()) {
    const std::uint64_t granule = global_granule(base + part.delta);
    GlobalShadow::Page& page = global_shadow_.page(granule / GlobalShadow::kPageGranules);
    const std::size_t at = granule % GlobalShadow::kPageGranules;
    if (page.state == GlobalShadow::Page::State::waiting) note_rows();
    if (page.has_stores) return false;
    room = std::min<std::uint64_t>(room, (GlobalShadow::kPageGranules - at) / per_lane);
    loop.rows[loop.row_count++] = {&page, at, part.first, part.last};
  }
  loop.limit = static_cast<unsigned>(room) * per_lane;
  const ThreadAccess first_lane{warp.index * kWarpLanes, 0, false, site.number};  // a plain load
  loop.load = warp_load(first_lane, clocks_, false);
  if (!loop.has_room()) return false;
  for (unsigned i = 0; i < loop.row_count; ++i) loop.rows[i].page->begin_to_wait();
  return true;
}

void BlockChecker::note_all_rows() {
  for (RowLoads::Loop& loop : rows_.loops()) note_rows(loop);
}

/// A row that one lane has loaded is a run, if its page has runs.
bool BlockChecker::add_row(const RowLoads::Row& row, const RowLoads::Loop& loop, unsigned count) {
  if (row.page->state == GlobalShadow::Page::State::recorded) return false;
  const auto sites = std::span(loop.sites).first(count);
  SpacedRun run{{static_cast<std::uint32_t>(row.at), count},
                loop.load.key + static_cast<std::int32_t>(row.first),
                sites[0]};
  run.step = 0;
  run.other_lane = 0;
  run.has_sites = std::any_of(sites.begin(), sites.end(), [&](SiteIndex site) { return site != sites[0]; });
  return row.page->add_spaced(run, sites.data());
}

/// Each granule is recorded as if its lanes had just loaded it, which succeeds, since the block has not
/// stored to these pages.
void BlockChecker::note_rows(RowLoads::Loop& loop) {
  const unsigned count = rows_.take(loop);
  if (count == 0) return;
  for (const RowLoads::Row& row : std::span(loop.rows).first(loop.row_count)) {
    row.page->end_to_wait();
    if (row.page->known.has(row.at, count, loop.load.unsettled)) continue;
    if (row.first == row.last && add_row(row, loop, count)) continue;
    complete(*row.page);
    unsigned here = 0;
    for (unsigned done = 0; done < count; done += here) {
      const std::size_t at = row.at + done;
      const auto in_group = static_cast<unsigned>(at % kGroup);
      here = std::min(kGroup - in_group, count - done);
      note_uniform_load_in(*row.page, at, here, loop.load, row.first, row.last,
                           EachSite{&loop.sites[done], in_group});
    }
  }
}

bool BlockChecker::note_stores_in_page(const Warp& warp, const AccessSite& site, std::uint64_t address,
                                       unsigned first, unsigned changing, unsigned lanes) {
  const std::uint64_t granule = global_granule(address);
  const std::size_t at = granule % GlobalShadow::kPageGranules;
  const LaneGroups groups(first, site.bytes() >> global_shift_, lanes);
  if (at + std::size_t{groups.count()} * kGroup > GlobalShadow::kPageGranules) return false;
  GlobalShadow::Page& page = global_shadow_.page(granule / GlobalShadow::kPageGranules);
  const unsigned thread = warp.index * kWarpLanes, per_lane = site.bytes() >> global_shift_;
  const std::int32_t key = AccessKey(clocks_.now(warp.index), thread, 0).bits();
  if (page.state != GlobalShadow::Page::State::recorded) {
    const std::int32_t first_key = key + static_cast<std::int32_t>(first);
    constexpr bool kIsStore = true;
    if (changing == 0 &&
        page.add_spaced(row_of(at, lanes * per_lane, first_key, site.number, kIsStore, per_lane)))
      return true;
    complete(page);
  }
  if (changing == 0 && page.records.note_first_stores(at, key, site.number, groups)) {
    page.mark_records(at, groups.count(), true);
    return true;
  }
  for (unsigned group = 0; group < groups.count(); ++group) {
    const GroupLanes of_group = groups.lanes(group);
    const ThreadAccess access = thread_access(warp, site, static_cast<int>(of_group.first));
    if (!note_store_in(page, at + std::size_t{group} * kGroup, access, of_group.shift,
                       groups.granules(group, changing)))
      return false;
  }
  return true;
}

}  // namespace vgpu::exec
