// Arguments and results of device functions: .param variables in the frame of the calling function.
#pragma once

#include <cassert>
#include <cstring>

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// Offsets in the frame: of the result (kNowhere if it is unused), then of the arguments.
inline const std::vector<std::uint32_t>& places(const Warp& warp, const Decoded& d) {
  return warp.core->program().list_of(d);
}

template <class T>
T read_local(const Warp& warp, int lane, std::uint32_t offset) {
  T value{};
  if (std::uint64_t{warp.frame()} + offset + sizeof value <= warp.core->launch->local_bytes)
    std::memcpy(&value, warp.local_of(lane) + warp.frame() + offset, sizeof value);
  return value;
}

template <class T>
void write_local(const Warp& warp, int lane, std::uint32_t offset, T value) {
  if (offset != kNowhere &&
      std::uint64_t{warp.frame()} + offset + sizeof value <= warp.core->launch->local_bytes)
    std::memcpy(warp.local_of(lane) + warp.frame() + offset, &value, sizeof value);
}

}  // namespace vgpu::exec
