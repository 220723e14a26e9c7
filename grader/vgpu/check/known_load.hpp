// The most common load: a warp loads granules that two warps have read since they were written, so that the
// shadow need not change.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "vgpu/check/race_shadow.hpp"
#include "vgpu/state/key_vector.hpp"

namespace vgpu {

/// Whether the present keys of a granule say that a load neither races nor reads unwritten memory nor adds a
/// reader: each element is 0 where that is true.
inline KeyVector unknown_loads(KeyVector write, KeyVector read, const WarpLoad& load) {
  return (write >= load.unsettled) | (write < load.oldest_write) | (read < load.unsettled) |
         ((read & AccessKey::kMany) == 0);
}

/// kGroup lanes load adjacent granules.
inline bool is_known_group_load(const ShadowSpan& at, const WarpLoad& load) {
  KeyVector unknown{};
  for (unsigned i = 0; i < kGroup; i += kVectorKeys)
    unknown |= unknown_loads(keys_at(at.write + i), keys_at(at.read + i), load);
  return !any(unknown);
}

/// The granules that is_known_group_load() has found to be known, one bit each: the warps of a block that
/// load the same memory then do not need the keys, which would fill the processor's caches. Valid until a key
/// changes.
template <std::size_t kGranules>
class KnownGranules {
 public:
  bool has_group(std::size_t first, std::int32_t unsettled) const {
    return unsettled == unsettled_ && (bits_at(first) >> first % 8 & kGroupBits) == kGroupBits;
  }
  void add_group(std::size_t first, std::int32_t unsettled) {
    if (unsettled != unsettled_) bits_.fill(0);
    unsettled_ = unsettled;
    const auto bits = static_cast<std::uint16_t>(bits_at(first) | kGroupBits << first % 8);
    std::memcpy(&bits_[first / 8], &bits, sizeof bits);
  }
  void forget() { unsettled_ = 0; }

 private:
  static_assert(kGroup == 8);
  static constexpr unsigned kGroupBits = 0xFF;

  /// The two bytes that contain a group's bits; the first granule of a byte is its lowest bit.
  unsigned bits_at(std::size_t first) const {
    static_assert(std::endian::native == std::endian::little);
    std::uint16_t bits;
    std::memcpy(&bits, &bits_[first / 8], sizeof bits);
    return bits;
  }

  std::int32_t unsettled_ = 0;  ///< WarpLoad::unsettled of the loads; 0, which no load has: nothing is known
  std::array<std::uint8_t, kGranules / 8 + 1> bits_{};
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

}  // namespace vgpu
