// What lanes are about to store; which granules eight lanes access that are side by side, and which of them a
// store changes.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "vgpu/races/group_load.hpp"
#include "vgpu/races/race_shadow.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// An element of the value that a lane is about to store.
inline const std::byte* stored_element(const Warp& warp, const Decoded& d, const AccessSite& site, int lane,
                                       std::size_t element) {
  const std::size_t lane_bytes = site.has_wide_value ? 8 : 4;
  const std::uint32_t at = site.elements == 1 ? d.dst : warp.core->program().list_of(d)[element];
  return warp.file + at + static_cast<std::size_t>(lane) * lane_bytes;
}

inline Addresses addresses_of_memo(std::uint64_t base, const Memo& memo) {
  Addresses addresses;
  for (int lane = 0; lane < kWarpLanes; ++lane) addresses[lane] = base + memo.delta[lane];
  return addresses;
}

/// Words are compared by an inlined memcmp: a call would stall on bytes that were just written one by one.
inline bool are_same(const std::byte* a, const std::byte* b, std::size_t bytes) {
  constexpr std::size_t kWord = 4;
  return (bytes == kWord ? std::memcmp(a, b, kWord) : std::memcmp(a, b, bytes)) == 0;
}

/// The bytes of a lane's access are a power of two.
inline bool is_aligned(std::uint64_t address, std::uint32_t bytes) {
  assert(std::has_single_bit(bytes));
  return (address & (bytes - 1)) == 0;
}

/// The groups of granules that `lanes` lanes from `first` on, a multiple of kGroup, access side by side: each
/// kGroup of them access one group per granule of a lane.
class LaneGroups {
 public:
  /// `granules_per_lane` is a power of two.
  LaneGroups(unsigned first, std::uint32_t granules_per_lane, unsigned lanes = kGroup)
      : first_(first),
        shift_(static_cast<unsigned>(std::countr_zero(granules_per_lane))),
        count_((lanes / kGroup) << shift_) {}

  unsigned count() const { return count_; }
  GroupLanes lanes(unsigned group) const {
    return {first_ + ((group * kGroup) >> shift_), std::min(shift_, GroupLanes::kOneLane)};
  }
  /// A bit for each granule of the group whose lane's bit is set.
  unsigned granules(unsigned group, unsigned lane_bits) const {
    if (shift_ == 0) return lane_bits;
    unsigned bits = 0;
    for (unsigned i = 0; i < kGroup; ++i) bits |= (lane_bits >> ((group * kGroup + i) >> shift_) & 1U) << i;
    return bits;
  }

 private:
  unsigned first_, shift_, count_;
};

/// The words of shared memory with which the groups of a warp's load begin.
inline GroupStarts group_starts(std::uint64_t base, const Memo& memo) {
  constexpr std::uint32_t kWord = 4;
  GroupStarts starts;
  for (std::size_t group = 0; group < starts.size(); ++group)
    starts[group] = (static_cast<std::uint32_t>(base) + memo.delta32[group * kGroup]) / kWord;
  return starts;
}

/// A bit for each of kGroup lanes from `first` on that stores other bytes than those at `now`, where the
/// lanes are side by side.
inline unsigned changing_lanes(const Warp& warp, const Decoded& d, const AccessSite& site,
                               const std::byte* now, unsigned first) {
  constexpr std::uint32_t kWord = 4;
  unsigned bits = 0;
  if (site.bytes() == kWord && site.elements == 1 && !site.has_wide_value) {
    const auto* then = reinterpret_cast<const std::uint32_t*>(warp.file + d.dst) + first;
    for (unsigned i = 0; i < kGroup; ++i) {
      std::uint32_t before;
      std::memcpy(&before, now + std::size_t{i} * kWord, kWord);
      bits |= (before != then[i] ? 1U : 0U) << i;
    }
    return bits;
  }
  for (unsigned i = 0; i < kGroup; ++i) {
    bool changes = false;
    for (std::size_t e = 0; e < site.elements; ++e)
      changes |= !are_same(now + i * site.bytes() + e * site.element_bytes,
                           stored_element(warp, d, site, static_cast<int>(first + i), e), site.element_bytes);
    bits |= (changes ? 1U : 0U) << i;
  }
  return bits;
}

}  // namespace vgpu::exec
