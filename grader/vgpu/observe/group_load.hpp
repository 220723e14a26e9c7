// Loads of a group of lanes, the common case of race_shadow.hpp in a few vector instructions. Each function
// returns false, and has done nothing, if a lane may race or may read what nobody wrote: then each lane is to
// be noted on its own.
#pragma once

#include "vgpu/observe/race_shadow.hpp"

namespace vgpu {

/// Lanes lane … lane + kGroup - 1 load granules side by side.
inline bool note_group_load(const ShadowSpan& at, const WarpLoad& load, unsigned lane,
                            const BlockClocks& clocks) {
  constexpr std::int32_t kWarpBits = ((1 << AccessKey::kThreadBits) - 1) & ~std::int32_t{31};
  const auto all_ones_if = [](bool holds) { return -static_cast<std::int32_t>(holds); };
  const std::int32_t key = load.key + static_cast<std::int32_t>(lane);
  std::int32_t suspicious = 0;
  std::int32_t known = -1, fresh = -1, own_warp = -1, other_warp = -1;  // what holds for all
  for (unsigned i = 0; i < kGroup; ++i) {
    const std::int32_t write = at.write[i], read = at.read[i];
    const std::int32_t recent = all_ones_if(read >= load.unsettled);
    const std::int32_t many = all_ones_if((read & AccessKey::kMany) != 0);
    const std::int32_t same = all_ones_if(((read ^ key) & kWarpBits) == 0);
    suspicious |= all_ones_if(write >= load.unsettled) | all_ones_if(write < load.oldest_write);
    known &= recent & many;
    fresh &= ~recent & all_ones_if(at.other_read[i] < load.unsettled);
    own_warp &= recent & ~many & same;
    other_warp &= recent & ~many & ~same;
  }
  if (suspicious != 0) return false;
  if (known != 0) return true;  // two warps have read each already: a writer will find one of them
  if (fresh != 0) {
    for (unsigned i = 0; i < kGroup; ++i) at.read[i] = key + static_cast<std::int32_t>(i);
    for (unsigned i = 0; i < kGroup; ++i) at.read_site[i] = load.first.site;
  } else if ((own_warp | other_warp) != 0) {
    const std::int32_t many = other_warp & AccessKey::kMany;
    for (unsigned i = 0; i < kGroup; ++i) at.read[i] |= many;
    for (unsigned i = 0; i < kGroup; ++i) at.other_read[i] = key + static_cast<std::int32_t>(i);
    for (unsigned i = 0; i < kGroup; ++i) at.other_read_site[i] = load.first.site;
  } else {
    ThreadAccess one = load.first;
    one.thread += lane;
    for (unsigned i = 0; i < kGroup; ++i, ++one.thread) note_read(at.from(i), one, clocks);
  }
  return true;
}

/// They all load one granule: the first and the last of them stand for the group.
inline bool note_uniform_load(const ShadowSpan& at, const WarpLoad& load, unsigned lane,
                              const BlockClocks& clocks) {
  if (*at.write >= load.unsettled || *at.write < load.oldest_write) return false;
  const bool is_recent = *at.read >= load.unsettled;
  if (is_recent && (*at.read & AccessKey::kMany) != 0) return true;
  if (!is_recent && *at.other_read < load.unsettled) {
    *at.read = load.key + static_cast<std::int32_t>(lane);
    *at.other_read = *at.read + static_cast<std::int32_t>(kGroup - 1);
    *at.read_site = *at.other_read_site = load.first.site;
    return true;
  }
  ThreadAccess one = load.first;
  one.thread += lane;
  note_read(at, one, clocks);
  one.thread += kGroup - 1;
  note_read(at, one, clocks);
  return true;
}

}  // namespace vgpu
