// The values that lanes are about to store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// An element of the value that a lane is about to store.
inline const std::byte* stored_element(const Warp& warp, const Decoded& d, const AccessSite& site, int lane,
                                       std::size_t element) {
  const std::size_t lane_bytes = site.has_wide_value ? 8 : 4;
  const std::uint32_t at = site.elements == 1 ? d.dst : warp.core->program().list_of(d)[element];
  return warp.file + at + static_cast<std::size_t>(lane) * lane_bytes;
}

/// Words are compared by an inlined memcmp: a call would stall on bytes that were just written one by one.
inline bool are_same(const std::byte* a, const std::byte* b, std::size_t bytes) {
  constexpr std::size_t kWord = 4;
  return (bytes == kWord ? std::memcmp(a, b, kWord) : std::memcmp(a, b, bytes)) == 0;
}

}  // namespace vgpu::exec
