// The most common load: a warp loads granules that two warps have read since they were written, so that the
// shadow need not change.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

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

/// Loads of whole warps that add nothing, because all their granules are known: further warps of the block
/// need no record. Valid until a thread of the block stores to global memory.
class KnownLoads {
 public:
  /// A warp's load of elements of `bytes` bytes by a Memo's pattern for groups of lanes; `deltas`: of the
  /// groups after the first; `unsettled`: WarpLoad::unsettled. Packed, since a comparison must not wait for
  /// members that were just written one by one.
  struct Load {
    std::uint64_t base = 0, first_deltas = 0, last_delta = 0;

    Load() = default;
    Load(std::uint64_t at, const std::array<std::uint32_t, 3>& deltas, std::int32_t unsettled)
        : base(at),
          first_deltas(deltas[0] | std::uint64_t{deltas[1]} << 32U),
          last_delta(deltas[2] | std::uint64_t{static_cast<std::uint32_t>(unsettled)} << 32U) {}
  };

  /// `form`: the pattern and the bytes of an element.
  bool has(const Load& load, std::uint32_t form) const {
    if (count_ == 0) return false;
    const Place& at = places_[place_of(load)];
    return ((at.load.base ^ load.base) | (at.load.first_deltas ^ load.first_deltas) |
            (at.load.last_delta ^ load.last_delta) | (at.stores_and_form ^ stores_and(form))) == 0;
  }
  void add(const Load& load, std::uint32_t form) {
    if (places_.empty()) places_.resize(std::size_t{1} << kPlaceBits);
    ++count_;
    places_[place_of(load)] = {load, stores_and(form)};
  }
  void forget() {
    if (count_ == 0) return;
    count_ = 0;
    ++stores_;
  }

 private:
  static constexpr unsigned kPlaceBits = 10;
  static_assert(BlockClocks::kLanes / kGroup == 4);  // three deltas

  struct Place {
    Load load;
    std::uint64_t stores_and_form = 0;
  };
  std::uint64_t stores_and(std::uint32_t form) const { return std::uint64_t{stores_} << 32U | form; }
  static std::size_t place_of(const Load& load) {
    // As GlobalShadow: rows of a matrix spread evenly.
    return load.base / sizeof(std::uint32_t) * 0x9E3779B97F4A7C15U >> (64 - kPlaceBits);
  }

  std::vector<Place> places_;  ///< a hash table; empty before the first use
  std::uint64_t count_ = 0;    ///< since the last store
  std::uint32_t stores_ = 1;   ///< the last ones of those after which loads had been known
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
