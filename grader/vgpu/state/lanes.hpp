#pragma once

#include <bit>
#include <cstdint>

namespace vgpu::exec {

/// Calls visit(lane) for each lane of the mask, in ascending order.
template <class Visit>
void for_lanes(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

}  // namespace vgpu::exec
