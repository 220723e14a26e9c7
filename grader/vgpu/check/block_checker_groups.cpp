// BlockChecker: plain accesses of eight lanes side by side, or of eight lanes to one place.
#include <algorithm>
#include <bit>
#include <cstring>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/group_load.hpp"
#include "vgpu/check/known_load.hpp"
#include "vgpu/check/stored_element.hpp"

namespace vgpu::exec {
namespace {

enum class Shape : std::uint8_t { scattered, side_by_side, uniform };

Shape shape_of(const Addresses& addresses, int first, std::uint32_t bytes) {
  const std::uint64_t address = addresses[first];
  // Zero if the lanes access one address (`apart`) or adjacent elements (`uneven`).
  std::uint64_t apart = 0, uneven = 0;
  for (unsigned i = 0; i < kGroup; ++i) {
    apart |= addresses[first + i] ^ address;
    uneven |= addresses[first + i] ^ (address + i * bytes);
  }
  if (address % bytes != 0) return Shape::scattered;
  if (uneven == 0) return Shape::side_by_side;
  return apart == 0 ? Shape::uniform : Shape::scattered;
}

bool is_plain(const AccessSite& site) { return !site.is_atomic && !site.is_strong; }

/// The groups of granules that eight lanes access side by side.
class LaneGroups {
 public:
  LaneGroups(int first, std::uint32_t granules_per_lane)
      : first_(static_cast<unsigned>(first)), per_lane_(granules_per_lane) {}

  unsigned count() const { return per_lane_; }
  GroupLanes lanes(unsigned group) const {
    const auto shift = static_cast<unsigned>(std::countr_zero(per_lane_));
    return {first_ + group * kGroup / per_lane_, std::min(shift, GroupLanes::kOneLane)};
  }
  /// A bit for each granule of the group whose lane's bit is set.
  unsigned granules(unsigned group, unsigned lane_bits) const {
    if (per_lane_ == 1) return lane_bits;
    unsigned bits = 0;
    for (unsigned i = 0; i < kGroup; ++i) bits |= (lane_bits >> (group * kGroup + i) / per_lane_ & 1U) << i;
    return bits;
  }

 private:
  unsigned first_, per_lane_;
};

/// A bit for each of eight lanes that stores other bytes than those at `now`.
unsigned changing_lanes(const Warp& warp, const Decoded& d, const AccessSite& site, const std::byte* now,
                        int first) {
  unsigned bits = 0;
  if (site.bytes() == kWordBytes && site.elements == 1 && !site.has_wide_value) {
    const auto* then = reinterpret_cast<const std::uint32_t*>(warp.file + d.dst) + first;
    for (unsigned i = 0; i < kGroup; ++i) {
      std::uint32_t before;
      std::memcpy(&before, now + i * kWordBytes, kWordBytes);
      bits |= (before != then[i] ? 1U : 0U) << i;
    }
    return bits;
  }
  for (unsigned i = 0; i < kGroup; ++i) {
    bool changes = false;
    for (std::size_t e = 0; e < site.elements; ++e)
      changes |= !are_same(now + i * site.bytes() + e * site.element_bytes,
                           stored_element(warp, d, site, first + static_cast<int>(i), e), site.element_bytes);
    bits |= (changes ? 1U : 0U) << i;
  }
  return bits;
}

bool is_known_group(GlobalShadow::Page& page, std::size_t first, const WarpLoad& load) {
  if (page.known.has_group(first, load.unsettled)) return true;
  const bool is_known = is_known_group_load(page.all.from(first), load);
  if (is_known) page.known.add_group(first, load.unsettled);
  return is_known;
}

}  // namespace

bool BlockChecker::shared_group(Warp& warp, const Decoded& d, const AccessSite& site,
                                const Addresses& offsets, int first) {
  const Shape shape = is_plain(site) ? shape_of(offsets, first, site.bytes()) : Shape::scattered;
  if (shape == Shape::scattered || (site.is_store && shape == Shape::uniform)) return false;
  const std::uint64_t offset = offsets[first];
  const std::uint32_t granule = sites_.shared_granule, per_lane = site.bytes() / granule;
  const std::uint32_t size = site.bytes() * (shape == Shape::uniform ? 1 : kGroup);
  if (offset > launch_.shared_bytes || size > launch_.shared_bytes - offset) return false;
  const ShadowSpan at = shared_shadow_.span().from(offset / granule);
  const WarpLoad load = warp_load(thread_access(warp, site, 0), clocks_, finds_unwritten());
  if (shape == Shape::uniform) {
    for (unsigned i = 0; i < per_lane; ++i)
      if (!note_uniform_load(at.from(i), load, static_cast<unsigned>(first), 1, clocks_)) return false;
    return true;
  }
  const LaneGroups groups(first, per_lane);
  const unsigned changing =
      site.is_store ? changing_lanes(warp, d, site, warp.core->shared + offset, first) : 0;
  for (unsigned group = 0; group < groups.count(); ++group) {
    const GroupLanes lanes = groups.lanes(group);
    const ShadowSpan here = at.from(std::size_t{group} * kGroup);
    const bool is_noted =
        site.is_store ? note_group_store(here, thread_access(warp, site, static_cast<int>(lanes.first)),
                                         lanes.shift, clocks_, groups.granules(group, changing))
                      : note_group_load(here, load, lanes, clocks_);
    if (!is_noted) return false;
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
  const unsigned bits = ((1U << granules) - 1) << in_group;
  if (in_group + granules <= kGroup && page.records.note_uniform_load(at / kGroup, bits, load, first, last)) {
    page.mark_line(at, false);
    return true;
  }
  const ShadowSpan keys = page.keys(at, granules);
  for (unsigned i = 0; i < granules; ++i) {
    if (is_known_uniform_load(keys.from(i), load)) continue;
    page.mark(at + i, 1, false);
    if (!note_uniform_load(keys.from(i), load, first, (last + 1 - first) / kGroup, clocks_)) return false;
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
  const Shape shape = is_plain(site) ? shape_of(addresses, first, site.bytes()) : Shape::scattered;
  if (shape == Shape::scattered || (site.is_store && shape == Shape::uniform)) return false;
  const std::uint64_t address = addresses[first];
  const std::uint32_t per_lane = site.bytes() / sites_.global_granule;
  const std::uint32_t granules = per_lane * (shape == Shape::uniform ? 1 : kGroup);
  const std::size_t size = std::size_t{granules} * sites_.global_granule;
  const std::uint64_t granule = address / sites_.global_granule;
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
  GlobalShadow::Page& page = global_shadow_.page(granule / GlobalShadow::kPageGranules);
  return site.is_store
             ? global_group_store(warp, d, site, {first, address, *segment}, page)
             : global_group_load(warp, site, {first, address, *segment}, page, shape == Shape::uniform);
}

bool BlockChecker::global_group_load(const Warp& warp, const AccessSite& site, const GlobalGroup& lanes,
                                     GlobalShadow::Page& page, bool is_uniform) {
  const std::size_t at = lanes.address / sites_.global_granule % GlobalShadow::kPageGranules;
  const std::uint32_t per_lane = site.bytes() / sites_.global_granule;
  const WarpLoad load = warp_load(thread_access(warp, site, 0), clocks_, false);
  const auto first = static_cast<unsigned>(lanes.first);
  if (is_uniform) {
    for (unsigned done = 0; done < per_lane; done += kGroup)
      if (!note_uniform_load_in(page, at + done, std::min(kGroup, per_lane - done), load, first,
                                first + kGroup - 1))
        return false;
    return true;
  }
  const LaneGroups groups(lanes.first, per_lane);
  for (unsigned group = 0; group < groups.count(); ++group)
    if (!note_load_in(page, at + std::size_t{group} * kGroup, load, groups.lanes(group))) return false;
  return true;
}

bool BlockChecker::global_group_store(const Warp& warp, const Decoded& d, const AccessSite& site,
                                      const GlobalGroup& lanes, GlobalShadow::Page& page) {
  const std::size_t at = lanes.address / sites_.global_granule % GlobalShadow::kPageGranules;
  std::array<std::byte, kGroup * kWidestAccess> now;
  read_now(warp, lanes.segment, lanes.address, now.data(), std::size_t{kGroup} * site.bytes());
  const unsigned changing = changing_lanes(warp, d, site, now.data(), lanes.first);
  const LaneGroups groups(lanes.first, site.bytes() / sites_.global_granule);
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
