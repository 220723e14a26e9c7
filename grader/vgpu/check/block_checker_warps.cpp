// BlockChecker: plain accesses of whole warps by a pattern of addresses that is known from the instruction's
// memo.
#include <array>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/lane_groups.hpp"

namespace vgpu::exec {
namespace {

/// The lanes of a group, as a mask.
std::uint32_t lanes_of_group(unsigned first) { return 0xFFU << first; }

Addresses addresses_of_memo(std::uint64_t base, const Memo& memo) {
  Addresses addresses;
  for (int lane = 0; lane < kWarpLanes; ++lane) addresses[lane] = base + memo.delta[lane];
  return addresses;
}

/// Whether each group of lanes continues the one before.
bool is_one_row(const Memo& memo, std::uint32_t bytes) {
  std::uint64_t elsewhere = 0;
  for (unsigned first = kGroup; first < kWarpLanes; first += kGroup)
    elsewhere |= memo.delta[first] ^ (std::uint64_t{first} * bytes);
  return elsewhere == 0;
}

/// Whether groups of lanes before and after this one load the same granules: of the lanes of a warp, the
/// first and the last ones to read represent all.
bool is_between_equal(const Memo& memo, unsigned first) {
  const auto at = [&](unsigned group) { return memo.delta[group * kGroup]; };
  const std::uint64_t own = memo.delta[first];
  if (first == kGroup) return own == at(0) && (own == at(2) || own == at(3));
  return first == 2 * kGroup && own == at(3) && (own == at(0) || own == at(1));
}

}  // namespace

bool BlockChecker::is_written(std::uint64_t base, const Memo& memo) const {
  const bool side_by_side = memo.pattern == Memo::Pattern::groups_contiguous;
  const std::size_t bytes = std::size_t{memo.form.bytes} * (side_by_side ? kGroup : 1);
  for (unsigned first = 0; first < kWarpLanes; first += kGroup)
    if (!memory_.is_written(base + memo.delta[first], bytes)) return false;
  return true;
}

/// Records what global_access() would record lane by lane or group by group, with one search for the page.
bool BlockChecker::global_load(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                               const Memo& memo) {
  const bool in_groups = memo.mask == kFullMask && warp.mask == kFullMask &&
                         memo.pattern != Memo::Pattern::scattered && memo.form.space == ptx::Space::global &&
                         !memo.constant && memo.form.bytes == site.bytes();
  if (!in_groups) return false;
  const ThreadAccess first_lane{warp.index * kWarpLanes, 0, false, site.number};  // a plain load
  const WarpLoad load = warp_load(first_lane, clocks_, false);
  if (finds_unwritten() && !memory_.is_all_written(memo.allocation) && !is_written(base, memo)) return false;
  const bool side_by_side = memo.pattern == Memo::Pattern::groups_contiguous;
  const std::uint32_t per_lane = site.bytes() >> global_shift_;
  const unsigned granules = per_lane * (side_by_side ? kGroup : 1);
  GlobalShadow::Page* page = nullptr;
  for (unsigned first = 0, next = 0; first < kWarpLanes; first = next) {
    next = first + kGroup;
    // Groups that load one element are noted together.
    while (!side_by_side && next < kWarpLanes && memo.delta[next] == memo.delta[first]) next += kGroup;
    if (side_by_side && !has_stored_globally_ && is_between_equal(memo, first)) continue;
    const std::uint64_t granule = global_granule(base + memo.delta[first]);
    const std::size_t at = granule % GlobalShadow::kPageGranules;
    bool is_noted = false;
    if (at + granules <= GlobalShadow::kPageGranules) {
      const std::uint64_t number = granule / GlobalShadow::kPageGranules;
      if (page == nullptr || page->number != number) page = &global_shadow_.page(number);
      is_noted = side_by_side ? note_loads_in(*page, at, load, {first, per_lane})
                              : note_uniform_load_in(*page, at, per_lane, load, first, next - 1);
    }
    if (!is_noted)
      global_access(warp, d, site, addresses_of_memo(base, memo),
                    kFullMask >> (kWarpLanes - (next - first)) << first);
  }
  return true;
}

bool BlockChecker::shared_store(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                                const Memo& memo) {
  const std::uint32_t bytes = site.bytes();
  const bool fits = bytes <= launch_.shared_bytes && base + memo.lowest <= launch_.shared_bytes - bytes &&
                    base + memo.highest <= launch_.shared_bytes - bytes;
  const bool is_aligned = ((base | memo.alignment) & (bytes - 1)) == 0;
  if (!fits || !is_aligned || copies_under_way_ != 0) return false;
  if (!site.stays_in_array(base + memo.lowest, base + memo.highest)) return false;
  note_deferred();
  const std::uint32_t granule = sites_.shared_granule;
  for (unsigned first = 0; first < kWarpLanes; first += kGroup) {
    const std::uint64_t offset = base + memo.delta[first];
    const LaneGroups groups(first, bytes / granule);
    if (!note_shared_stores(warp, d, site, offset, groups, first))
      shared_access(warp, d, site, addresses_of_memo(base, memo), lanes_of_group(first));
  }
  return true;
}

bool BlockChecker::global_store(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                                const Memo& memo) {
  const std::uint32_t bytes = site.bytes();
  const Segment* segment =
      memo.highest - memo.lowest < kAllocationStart
          ? memory_.holding(base + memo.lowest, static_cast<std::size_t>(memo.highest - memo.lowest) + bytes)
          : nullptr;
  if (segment == nullptr || segment->purpose == Purpose::constant) return false;
  if (((base | memo.alignment) & (bytes - 1)) != 0) return false;
  has_stored_globally_ = true;
  constexpr std::size_t kWidestElement = 8;
  std::array<std::byte, kWarpLanes * kWidestElement> now;
  const std::size_t group_bytes = std::size_t{kGroup} * bytes;
  if (is_one_row(memo, bytes)) {
    read_now(warp, *segment, base, now.data(), std::size_t{kWarpLanes} * bytes);
  } else {
    for (unsigned first = 0; first < kWarpLanes; first += kGroup)
      read_now(warp, *segment, base + memo.delta[first], now.data() + first * bytes, group_bytes);
  }
  for (unsigned first = 0; first < kWarpLanes; first += kGroup) {
    const unsigned changing = changing_lanes(warp, d, site, now.data() + first * bytes, first);
    if (!note_stores_in_page(warp, site, base + memo.delta[first], first, changing))
      global_access(warp, d, site, addresses_of_memo(base, memo), lanes_of_group(first));
  }
  return true;
}

}  // namespace vgpu::exec
