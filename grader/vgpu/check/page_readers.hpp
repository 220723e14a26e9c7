// The readers of global memory that a block only loads, and only by groups of lanes side by side: one record
// takes the place of the keys of eight granules, which would fill the processor's caches eight times as fast.
// Most memory of most kernels is read in this way. Any other access splits the group: its granules get keys
// of their own, as if they had had them from the beginning. Covered by tests/vgpu/quick_records_test.cpp.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "vgpu/check/race_shadow.hpp"

namespace vgpu {

/// The groups of kGroup granules in a page of the shadow, each beginning at a multiple of kGroup.
template <std::size_t kGranules>
class PageReaders {
 public:
  /// Two readers as in a ShadowSpan. The keys are those of the group's first granule; the granule after it
  /// was loaded by the next thread, and so on.
  struct Readers {
    std::int32_t read = 0, other_read = 0;
    SiteIndex read_site = 0, other_read_site = 0;
  };

  /// For a new block.
  void restart() {
    together_.fill(0);
    split_.fill(0);
  }

  /// kGroup lanes from `lane` on load the group's granules. False without any effect if that cannot be
  /// recorded together. Has the effect of note_group_load() on granules that the block has not written.
  bool note(std::size_t group, const WarpLoad& load, unsigned lane) {
    if (has(split_, group)) return false;
    Readers& at = readers_[group];
    const std::int32_t key = load.key + static_cast<std::int32_t>(lane);
    if (!has(together_, group)) {
      set(together_, group);
      at = {key, 0, load.first.site, 0};
      return true;
    }
    if (at.read < load.unsettled) {
      if (at.other_read >= load.unsettled) return false;
      at.read = key;
      at.read_site = load.first.site;
      return true;
    }
    // Two warps have read each granule: a writer finds one of them.
    if ((at.read & AccessKey::kMany) != 0) return true;
    constexpr std::int32_t kWarpBits = AccessKey::kThreadMask & ~std::int32_t{31};
    if (((at.read ^ key) & kWarpBits) != 0) at.read |= AccessKey::kMany;
    at.other_read = key;
    at.other_read_site = load.first.site;
    return true;
  }

  /// Gives the groups of `count` granules from `first` on keys of their own in the page's shadow.
  void split(std::size_t first, unsigned count, const ShadowSpan& page) {
    for (std::size_t group = first / kGroup; group <= (first + count - 1) / kGroup; ++group) {
      if (has(split_, group)) continue;
      set(split_, group);
      if (has(together_, group)) write_keys(readers_[group], page.from(group * kGroup));
    }
  }

  /// The readers of a group that is recorded together; nullptr if it is split or was not loaded.
  const Readers* together(std::size_t group) const {
    return has(together_, group) && !has(split_, group) ? &readers_[group] : nullptr;
  }

 private:
  static constexpr std::size_t kGroups = kGranules / kGroup;
  using Bits = std::array<std::uint64_t, (kGroups + 63) / 64>;

  static bool has(const Bits& bits, std::size_t group) {
    assert(group < kGroups);
    return (bits[group / 64] >> group % 64 & 1U) != 0;
  }
  static void set(Bits& bits, std::size_t group) { bits[group / 64] |= std::uint64_t{1} << group % 64; }

  static void write_keys(const Readers& readers, const ShadowSpan& at) {
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(kGroup); ++i) {
      at.read[i] = readers.read + i;
      at.other_read[i] = readers.other_read == 0 ? 0 : readers.other_read + i;
      at.read_site[i] = readers.read_site;
      at.other_read_site[i] = readers.other_read_site;
    }
  }

  std::array<Readers, kGroups> readers_;
  Bits together_{}, split_{};
};

}  // namespace vgpu
