// Which of four keys of a granule's earlier accesses are possibly not ordered before a warp's present access:
// the comparison of BlockClocks::is_ordered(), for vectors. Covered by tests/vgpu/quick_records_test.cpp.
#pragma once

#include <cstdint>

#include "vgpu/races/block_clocks.hpp"
#include "vgpu/races/race_shadow.hpp"
#include "vgpu/state/key_vector.hpp"

namespace vgpu {

/// A key has the thread in its lowest bits and the clock in its highest bits, so that comparing keys compares
/// clocks.
struct ConcurrentKeys {
  std::int32_t unsettled;  ///< keys from this one on, of other warps
  std::int32_t in_warp;    ///< keys from this one on, of other lanes of the warp

  ConcurrentKeys(unsigned warp, const BlockClocks& clocks)
      : unsettled(AccessKey::first_of(clocks.settled(warp) + 1)),
        in_warp(AccessKey::first_of(clocks.settled_in_warp(warp) + 1)) {}
  /// Whether no other key is ordered before the access.
  static bool are_all(unsigned warp, const BlockClocks& clocks) {
    return clocks.has_one_floor() && !clocks.has_lane_clocks(warp);
  }

  /// `own`: keys of the threads that access the granules.
  KeyVector operator()(KeyVector keys, KeyVector own) const {
    return (keys >= unsettled) & ((keys >= in_warp) | ~are_of_warp(keys, own)) & ~are_of_thread(keys, own);
  }
  static KeyVector are_of_thread(KeyVector keys, KeyVector own) {
    return ((keys ^ own) & AccessKey::kThreadMask) == 0;
  }
  static KeyVector are_of_warp(KeyVector keys, KeyVector own) {
    constexpr std::int32_t kWarpBits =
        AccessKey::kThreadMask & ~static_cast<std::int32_t>(BlockClocks::kLanes - 1);
    return ((keys ^ own) & kWarpBits) == 0;
  }
};

}  // namespace vgpu
