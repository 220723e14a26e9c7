// The commonest load of all: a warp loads granules that two warps have read since they were written, so that
// nothing is to be taken down. Compiled for AVX2 too, where the build and the machine have it.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/observe/race_shadow.hpp"

namespace vgpu {

/// First granules of a warp's groups of kGroup lanes; each group loads kGroup granules side by side.
using GroupStarts = std::array<std::uint32_t, BlockClocks::kLanes / kGroup>;

/// Whether the load neither races nor reads what nobody wrote nor adds a reader.
bool is_known_load(const ShadowSpan& all, const GroupStarts& starts, const WarpLoad& load);

}  // namespace vgpu
