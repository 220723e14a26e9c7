// The special registers of PTX (ISA chapter 10) that a warp can read as ordinary vectors.
#pragma once

#include <string>

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

struct SpecialRegister {
  /// The value in a lane of a warp of the core's current block.
  std::uint64_t (*read)(const Warp& warp, int lane);
  bool varies_by_block = false;
};

/// By name: "tid.x", "laneid", …; nullptr if it is not supported.
const SpecialRegister* special_register(const std::string& name);

}  // namespace vgpu::exec
