// What functions of the device take and give back: .param variables of the calling function, in its frame.
#pragma once

#include <cstring>

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// Of the result (kNowhere if nobody wants it), then the arguments, in the frame.
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
