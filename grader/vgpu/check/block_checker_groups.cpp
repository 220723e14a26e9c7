// BlockChecker: plain accesses of eight lanes side by side, or of eight lanes to one place.
#include <algorithm>
#include <bit>
#include <cstring>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/group_load.hpp"
#include "vgpu/check/known_load.hpp"
#include "vgpu/check/lane_groups.hpp"

namespace vgpu::exec {
namespace {

enum class Shape : std::uint8_t { scattered, side_by_side, uniform };

/// The shape of the accesses of `lanes` lanes from `first` on.
Shape shape_of(const Addresses& addresses, unsigned first, std::uint32_t bytes, unsigned lanes = kGroup) {
  const std::uint64_t address = addresses[first];
  // Zero if the lanes access one address (`apart`) or adjacent elements (`uneven`).
  std::uint64_t apart = 0, uneven = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    apart |= addresses[first + i] ^ address;
    uneven |= addresses[first + i] ^ (address + i * bytes);
  }
  if (!is_aligned(address, bytes)) return Shape::scattered;
  if (uneven == 0) return Shape::side_by_side;
  return apart == 0 ? Shape::uniform : Shape::scattered;
}

bool is_plain(const AccessSite& site) { return !site.is_atomic && !site.is_strong; }

bool is_known_group(GlobalShadow::Page& page, std::size_t first, const WarpLoad& load) {
  if (page.known.has_group(first, load.unsettled)) return true;
  const bool is_known = is_known_group_load(page.all.from(first), load);
  if (is_known) page.known.add_group(first, load.unsettled);
  return is_known;
}

}  // namespace

bool BlockChecker::shared_group(Warp& warp, const Decoded& d, const AccessSite& site,
                                const Addresses& offsets, int first) {
  const Shape shape =
      is_plain(site) ? shape_of(offsets, static_cast<unsigned>(first), site.bytes()) : Shape::scattered;
  if (shape == Shape::scattered || (site.is_store && shape == Shape::uniform)) return false;
  const std::uint64_t offset = offsets[first];
  const std::uint32_t granule = sites_.shared_granule, per_lane = site.bytes() / granule;
  const std::uint32_t size = site.bytes() * (shape == Shape::uniform ? 1 : kGroup);
  if (offset > launch_.shared_bytes || size > launch_.shared_bytes - offset) return false;
  const ShadowSpan at = shared_shadow_.span().from(offset / granule);
  const WarpLoad load = warp_load(thread_access(warp, site, 0), clocks_, finds_unwritten());
  const auto lane = static_cast<unsigned>(first);
  if (shape == Shape::uniform) {
    for (unsigned i = 0; i < per_lane; ++i)
      if (!note_uniform_load(at.from(i), load, lane, lane + kGroup - 1, clocks_)) return false;
    return true;
  }
  const LaneGroups groups(lane, per_lane);
  if (site.is_store) return note_shared_stores(warp, d, site, offset, groups, lane);
  for (unsigned group = 0; group < groups.count(); ++group)
    if (!note_group_load(at.from(std::size_t{group} * kGroup), load, groups.lanes(group), clocks_))
      return false;
  return true;
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
  for (unsigned group = 0; group < groups.count(); ++group, at += kGroup) {
    if (at % kGroup == 0 && page.records.is_known(at / kGroup, load)) continue;
    if (!note_load_in(page, at, load, groups.lanes(group))) return false;
  }
  return true;
}

bool BlockChecker::note_load_in(GlobalShadow::Page& page, std::size_t at, const WarpLoad& load,
                                const GroupLanes& lanes) {
  if (at % kGroup == 0 && page.records.note_load(at / kGroup, load, lanes)) {
    page.mark_line(at, false);
    return true;
  }
  const ShadowSpan keys = page.keys(at, kGroup);
  if (is_known_group(page, at, load)) return true;
  page.mark(at, kGroup, false);
  return note_group_load(keys, load, lanes, clocks_);
}

bool BlockChecker::note_uniform_load_in(GlobalShadow::Page& page, std::size_t at, unsigned granules,
                                        const WarpLoad& load, unsigned first, unsigned last) {
  const std::size_t in_group = at % kGroup;
  if (in_group + granules <= kGroup) {
    const unsigned bits = ((1U << granules) - 1) << in_group;
    if (page.records.are_known(at / kGroup, bits, load)) return true;
    if (page.records.note_uniform_load(at / kGroup, bits, load, first, last)) {
      page.mark_line(at, false);
      return true;
    }
  }
  const ShadowSpan keys = page.keys(at, granules);
  for (unsigned i = 0; i < granules; ++i) {
    if (is_known_uniform_load(keys.from(i), load)) continue;
    page.mark(at + i, 1, false);
    if (!note_uniform_load(keys.from(i), load, first, last, clocks_)) return false;
  }
  return true;
}

bool BlockChecker::note_store_in(GlobalShadow::Page& page, std::size_t at, const ThreadAccess& access,
                                 unsigned shift, unsigned changed) {
  const unsigned warp = access.thread / BlockClocks::kLanes;
  const std::int32_t key = AccessKey(clocks_.now(warp), access.thread, access.flags).bits();
  const std::int32_t unsettled = AccessKey::first_of(clocks_.settled(warp) + 1);
  if (at % kGroup == 0 && page.records.note_store(at / kGroup, key, unsettled, access.site, shift, changed)) {
    page.mark_line(at, true);
    return true;
  }
  const ShadowSpan keys = page.keys(at, kGroup);
  page.mark(at, kGroup, true);
  return note_group_store(keys, access, shift, clocks_, changed);
}

bool BlockChecker::global_group(Warp& warp, const Decoded& d, const AccessSite& site,
                                const Addresses& addresses, int first) {
  const Shape shape =
      is_plain(site) ? shape_of(addresses, static_cast<unsigned>(first), site.bytes()) : Shape::scattered;
  if (shape == Shape::scattered || (site.is_store && shape == Shape::uniform)) return false;
  const std::uint64_t address = addresses[first];
  const std::uint32_t per_lane = site.bytes() >> global_shift_;
  const std::uint32_t granules = per_lane * (shape == Shape::uniform ? 1 : kGroup);
  const std::size_t size = std::size_t{granules} * sites_.global_granule;
  const std::uint64_t granule = global_granule(address);
  const std::size_t at = granule % GlobalShadow::kPageGranules;
  // Groups in two pages have no common span.
  if (at + granules > GlobalShadow::kPageGranules) return false;
  const Segment* segment = memory_.holding(address, size);
  if (segment == nullptr) return false;
  if (segment->purpose == Purpose::constant) {
    note_constant(address, size);
    return true;
  }
  // The lane-by-lane check reports reads of unwritten memory.
  if (!site.is_store && finds_unwritten() && !memory_.is_written(address, size)) return false;
  const auto lane = static_cast<unsigned>(first);
  if (site.is_store) {
    std::array<std::byte, kGroup * kWidestAccess> now;
    read_now(warp, *segment, address, now.data(), size);
    return note_stores_in_page(warp, site, address, lane, changing_lanes(warp, d, site, now.data(), lane));
  }
  GlobalShadow::Page& page = global_shadow_.page(granule / GlobalShadow::kPageGranules);
  const WarpLoad load = warp_load(thread_access(warp, site, 0), clocks_, false);
  return shape == Shape::side_by_side
             ? note_loads_in(page, at, load, {lane, per_lane})
             : note_uniform_load_in(page, at, per_lane, load, lane, lane + kGroup - 1);
}

bool BlockChecker::global_part(const Warp& warp, const AccessSite& site, const Addresses& addresses,
                               int first, unsigned active) {
  const auto lowest = static_cast<unsigned>(std::countr_zero(active));
  const auto highest = static_cast<unsigned>(std::bit_width(active)) - 1;
  const bool is_run = active >> lowest == (2U << (highest - lowest)) - 1;
  if (lowest == highest || !is_run) return false;
  const auto lane = static_cast<unsigned>(first);
  const Shape shape = shape_of(addresses, lane + lowest, site.bytes(), highest - lowest + 1);
  if (shape == Shape::scattered) return false;
  const std::uint64_t address = addresses[lane + lowest];
  const bool is_uniform = shape == Shape::uniform;
  const std::size_t size = std::size_t{site.bytes()} * (is_uniform ? 1 : highest - lowest + 1);
  const Segment* segment = memory_.holding(address, size);
  if (segment == nullptr || segment->purpose == Purpose::constant) return false;
  if (finds_unwritten() && !memory_.is_written(address, size)) return false;
  const std::uint32_t per_lane = site.bytes() >> global_shift_;
  const std::size_t at_lowest = global_granule(address) % GlobalShadow::kPageGranules;
  GlobalShadow::Page& page = global_shadow_.page(global_granule(address) / GlobalShadow::kPageGranules);
  const WarpLoad load = warp_load(thread_access(warp, site, 0), clocks_, false);
  if (is_uniform) return note_uniform_load_in(page, at_lowest, per_lane, load, lane + lowest, lane + highest);
  // The keys of the whole group are loaded.
  const std::size_t before = std::size_t{lowest} * per_lane, all = std::size_t{kGroup} * per_lane;
  constexpr std::size_t kBits = 64;
  if (all > kBits || at_lowest < before || at_lowest - before + all > GlobalShadow::kPageGranules)
    return false;
  const std::uint64_t loaded = ~std::uint64_t{0} >> (kBits - std::size_t{highest - lowest + 1} * per_lane)
                                                        << before;
  const LaneGroups groups(lane, per_lane);
  for (unsigned group = 0; group < groups.count(); ++group) {
    const SomeGranules granules{static_cast<unsigned>(loaded >> group * kGroup & 0xFFU)};
    if (granules.bits == 0) continue;
    const std::size_t at = at_lowest - before + std::size_t{group} * kGroup;
    const ShadowSpan keys = page.keys(at, kGroup);
    page.mark(at, kGroup, false);
    if (!note_group_load(keys, load, groups.lanes(group), clocks_, granules)) return false;
  }
  return true;
}

bool BlockChecker::note_stores_in_page(const Warp& warp, const AccessSite& site, std::uint64_t address,
                                       unsigned first, unsigned changing) {
  const std::uint64_t granule = global_granule(address);
  const std::size_t at = granule % GlobalShadow::kPageGranules;
  const LaneGroups groups(first, site.bytes() >> global_shift_);
  if (at + std::size_t{groups.count()} * kGroup > GlobalShadow::kPageGranules) return false;
  GlobalShadow::Page& page = global_shadow_.page(granule / GlobalShadow::kPageGranules);
  for (unsigned group = 0; group < groups.count(); ++group) {
    const GroupLanes lanes = groups.lanes(group);
    const ThreadAccess access = thread_access(warp, site, static_cast<int>(lanes.first));
    if (!note_store_in(page, at + std::size_t{group} * kGroup, access, lanes.shift,
                       groups.granules(group, changing)))
      return false;
  }
  return true;
}

}  // namespace vgpu::exec
