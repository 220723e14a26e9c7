// The most common load: a warp loads granules that two warps have read since they were written, so that the
// shadow need not change.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/check/key_vector.hpp"
#include "vgpu/check/race_shadow.hpp"

namespace vgpu {

/// First granules of a warp's groups of kGroup lanes; each group loads kGroup adjacent granules.
using GroupStarts = std::array<std::uint32_t, BlockClocks::kLanes / kGroup>;

/// True if the load neither races nor reads unwritten memory nor adds a reader.
inline bool is_known_load(const ShadowSpan& all, const GroupStarts& starts, const WarpLoad& load) {
  for (std::size_t group = 0; group < starts.size(); ++group) {
    // The two halves of a warp often load the same granules.
    if (group >= 2 && starts[group] == starts[group - 2]) continue;
    KeyVector unknown{};
    for (unsigned i = starts[group]; i < starts[group] + kGroup; i += kVectorKeys) {
      const KeyVector write = keys_at(all.write + i), read = keys_at(all.read + i);
      unknown |= (write >= load.unsettled) | (write < load.oldest_write);
      unknown |= (read < load.unsettled) | ((read & AccessKey::kMany) == 0);
    }
    if (any(unknown)) return false;
  }
  return true;
}

}  // namespace vgpu
