// Loads of a group of lanes: the common case of race_shadow.hpp in a few vector instructions. A function
// returns false without any effect if a lane might race or read unwritten memory: the caller then notes each
// lane. The most common load is of granules that two warps have read since they were written: it is known,
// and the shadow need not change. Covered by tests/vgpu/known_load_test.cpp and quick_records_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "vgpu/races/race_shadow.hpp"
#include "vgpu/state/key_vector.hpp"

namespace vgpu {

/// Whether the present keys of a granule say that a load neither races nor reads unwritten memory nor adds a
/// reader: each element is 0 where that is true.
inline KeyVector unknown_loads(KeyVector write, KeyVector read, const WarpLoad& load) {
  return (write >= load.unsettled) | (write < load.oldest_write) | (read < load.unsettled) |
         ((read & AccessKey::kMany) == 0);
}

/// The granules of a group that are accessed, as masks of vectors of keys.
struct AllGranules {
  static constexpr unsigned bits = (1U << kGroup) - 1;

  constexpr KeyVector operator()(unsigned) const { return ~KeyVector{}; }
  constexpr bool has(unsigned) const { return true; }
};
struct SomeGranules {
  unsigned bits = 0;  ///< one per granule

  KeyVector operator()(unsigned first) const { return elements_of(bits >> first); }
  bool has(unsigned granule) const { return (bits >> granule & 1U) != 0; }
};

/// Lanes load adjacent granules, or some of them.
template <class Granules = AllGranules>
bool is_known_group_load(const ShadowSpan& at, const WarpLoad& load, Granules granules = {}) {
  KeyVector unknown{};
  for (unsigned i = 0; i < kGroup; i += kVectorKeys)
    unknown |= unknown_loads(keys_at(at.write + i), keys_at(at.read + i), load) & granules(i);
  return !any(unknown);
}

/// The granules whose loads were found to be known, one bit each: the warps of a block that load the same
/// memory then do not need the keys or records, which would fill the processor's caches. Valid until a key
/// changes or a store is recorded.
template <std::size_t kGranules>
class KnownGranules {
 public:
  bool has(std::size_t first, unsigned count, std::int32_t unsettled) const {
    if (unsettled != unsettled_) return false;
    constexpr unsigned kAtOnce = 56;  // whatever bit of a byte is the first one's
    for (unsigned here = 0; count > 0; first += here, count -= here) {
      here = std::min(count, kAtOnce);
      const std::uint64_t all = ~std::uint64_t{0} >> (64 - here);
      if ((all & ~(bits_at(first) >> first % 8)) != 0) return false;
    }
    return true;
  }
  /// `group`: a bit for each of the kGroup granules from `first` on.
  void add(std::size_t first, unsigned group, std::int32_t unsettled) {
    if (unsettled != unsettled_) bits_.fill(0);
    unsettled_ = unsettled;
    const std::uint64_t bits = bits_at(first) | std::uint64_t{group} << first % 8;
    std::memcpy(&bits_[first / 8], &bits, sizeof bits);
  }
  void forget() { unsettled_ = 0; }

 private:
  static_assert(kGroup == 8);

  /// The eight bytes from a group's bits on; the first granule of a byte is its lowest bit.
  std::uint64_t bits_at(std::size_t first) const {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t bits;
    std::memcpy(&bits, &bits_[first / 8], sizeof bits);
    return bits;
  }

  std::int32_t unsettled_ = 0;  ///< WarpLoad::unsettled of the loads; 0, which no load has: nothing is known
  std::array<std::uint8_t, kGranules / 8 + sizeof(std::uint64_t)> bits_{};
};

/// Any lanes load one granule.
inline bool is_known_uniform_load(const ShadowSpan& at, const WarpLoad& load) {
  return *at.write < load.unsettled && *at.write >= load.oldest_write && *at.read >= load.unsettled &&
         (*at.read & AccessKey::kMany) != 0;
}

/// First granules of a warp's groups of kGroup lanes; each group loads kGroup adjacent granules.
using GroupStarts = std::array<std::uint32_t, BlockClocks::kLanes / kGroup>;

/// The whole warp's load is known.
inline bool is_known_load(const ShadowSpan& all, const GroupStarts& starts, const WarpLoad& load) {
  for (std::size_t group = 0; group < starts.size(); ++group) {
    // The two halves of a warp often load the same granules.
    if (group >= 2 && starts[group] == starts[group - 2]) continue;
    if (!is_known_group_load(all.from(starts[group]), load)) return false;
  }
  return true;
}

/// Keys of a group whose first granule has the key `first`, and their site.
template <class Granules>
void put_group(std::int32_t* keys, SiteIndex* sites, std::int32_t first, SiteIndex site, unsigned shift,
               Granules granules) {
  for (unsigned i = 0; i < kGroup; i += kVectorKeys) {
    const KeyVector mask = granules(i);
    put_keys(keys + i, (keys_at(keys + i) & ~mask) | ((keys_at(&kLaneSteps[shift][i]) + first) & mask));
  }
  for (unsigned i = 0; i < kGroup; ++i)
    if (granules.has(i)) sites[i] = site;
}

/// For each granule: whether the load could race with its last write, or reads unwritten memory. `own`: the
/// keys of the load.
inline KeyVector suspicious_loads(KeyVector write, KeyVector own, const WarpLoad& load) {
  const KeyVector is_own_store =
      ((write & AccessKey::kAtomic) == 0) & (((write ^ own) & AccessKey::kThreadMask) == 0);
  return ((write >= load.unsettled) & ~is_own_store) | (write < load.oldest_write);
}

/// The lanes load adjacent granules, or some of them.
template <class Granules = AllGranules>
bool note_group_load(const ShadowSpan& at, const WarpLoad& load, const GroupLanes& lanes,
                     const BlockClocks& clocks, Granules granules = {}) {
  constexpr std::int32_t kWarpBits = AccessKey::kThreadMask & ~std::int32_t{31};
  const std::int32_t key = load.key + static_cast<std::int32_t>(lanes.first);
  KeyVector suspicious{};
  // Where the property does not hold:
  KeyVector unknown{}, not_fresh{}, not_own_thread{}, not_own_warp{}, not_other_warp{};
  for (unsigned i = 0; i < kGroup; i += kVectorKeys) {
    const KeyVector own = load.keys(lanes, i);
    const KeyVector read = keys_at(at.read + i);
    const KeyVector recent = read >= load.unsettled;
    const KeyVector many = (read & AccessKey::kMany) != 0;
    const KeyVector same_warp = ((read ^ own) & kWarpBits) == 0;
    const KeyVector same_thread = ((read ^ own) & AccessKey::kThreadMask) == 0;
    const KeyVector mask = granules(i);
    suspicious |= suspicious_loads(keys_at(at.write + i), own, load) & mask;
    unknown |= ~(recent & many) & mask;
    not_fresh |= (recent | (keys_at(at.other_read + i) >= load.unsettled)) & mask;
    not_own_thread |= (~recent | many | ~same_thread) & mask;
    not_own_warp |= (~recent | many | ~same_warp | same_thread) & mask;
    not_other_warp |= (~recent | many | same_warp) & mask;
  }
  if (any(suspicious)) return false;
  if (!any(unknown)) return true;  // two warps have read each granule: a writer finds one of them
  if (!any(not_fresh) || !any(not_own_thread)) {
    put_group(at.read, at.read_site, key, load.first.site, lanes.shift, granules);
  } else if (!any(not_own_warp) || !any(not_other_warp)) {
    const std::int32_t many = any(not_own_warp) ? AccessKey::kMany : 0;
    for (unsigned i = 0; i < kGroup; i += kVectorKeys)
      put_keys(at.read + i, keys_at(at.read + i) | (granules(i) & many));
    put_group(at.other_read, at.other_read_site, key, load.first.site, lanes.shift, granules);
  } else {
    note_group_read(at, load, lanes, clocks, granules.bits);
  }
  return true;
}

/// As note_group_load(), but only for granules that no thread has read since they were written. Has exactly
/// the effect of noting each lane.
inline bool note_first_group_load(const ShadowSpan& at, const WarpLoad& load, const GroupLanes& lanes) {
  const std::int32_t key = load.key + static_cast<std::int32_t>(lanes.first);
  KeyVector suspicious{};
  for (unsigned i = 0; i < kGroup; i += kVectorKeys) {
    const KeyVector own = load.keys(lanes, i);
    suspicious |= suspicious_loads(keys_at(at.write + i), own, load) |
                  (keys_at(at.read + i) >= load.unsettled) | (keys_at(at.other_read + i) >= load.unsettled);
  }
  if (any(suspicious)) return false;
  put_group(at.read, at.read_site, key, load.first.site, lanes.shift, AllGranules{});
  return true;
}

/// Lanes from `first` to `last` of one or several adjacent groups load one granule: the first and the last
/// lane represent a group. `first` begins a group if there are several groups.
inline bool note_uniform_load(const ShadowSpan& at, const WarpLoad& load, unsigned first, unsigned last,
                              const BlockClocks& clocks) {
  assert(first <= last);
  const std::int32_t key = load.key + static_cast<std::int32_t>(first);
  const bool is_own_store = first == last && (*at.write & AccessKey::kAtomic) == 0 &&
                            ((*at.write ^ key) & AccessKey::kThreadMask) == 0;
  if ((*at.write >= load.unsettled && !is_own_store) || *at.write < load.oldest_write) return false;
  if (*at.read < load.unsettled && *at.other_read < load.unsettled) {
    *at.read = key;
    *at.other_read = load.key + static_cast<std::int32_t>(last);
    *at.read_site = *at.other_read_site = load.first.site;
    return true;
  }
  ThreadAccess one = load.first;
  // Once two warps have read the granule, the next groups change nothing.
  const auto has_two_warps = [&] { return *at.read >= load.unsettled && (*at.read & AccessKey::kMany) != 0; };
  for (unsigned lane = first; lane <= last && !has_two_warps(); lane += kGroup) {
    one.thread = load.first.thread + lane;
    note_read(at, one, clocks);
    one.thread = load.first.thread + std::min(lane + kGroup - 1, last);
    note_read(at, one, clocks);
  }
  return true;
}

}  // namespace vgpu
