// The most common load: a warp loads granules that two warps have read since they were written, so that the
// shadow need not change.
#pragma once

#include <array>
#include <bit>
#include <cassert>
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

/// The granules of a group that are accessed, as masks of vectors of keys.
struct AllGranules {
  static constexpr unsigned bits = (1U << kGroup) - 1;

  constexpr KeyVector operator()(unsigned) const { return ~KeyVector{}; }
  constexpr bool has(unsigned) const { return true; }
};
struct SomeGranules {
  unsigned bits = 0;  ///< one per granule

  KeyVector operator()(unsigned first) const {
    constexpr KeyVector kBits{1, 2, 4, 8};
    return (static_cast<std::int32_t>(bits >> first) & kBits) != 0;
  }
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
  static constexpr unsigned kMost = 56;  ///< granules per call

  bool has(std::size_t first, unsigned count, std::int32_t unsettled) const {
    assert(count > 0 && count <= kMost);
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - count);
    return unsettled == unsettled_ && (all & ~(bits_at(first) >> first % 8)) == 0;
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

}  // namespace vgpu
