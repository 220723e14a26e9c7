// How much of its shared memory a block used: what a launch asks for shows only the intention.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vgpu {

/// Bytes of shared memory that a block both wrote and read, or changed with atomics.
struct SharedUse {
  std::uint64_t static_bytes = 0;   ///< of `__shared__` variables of fixed size
  std::uint64_t dynamic_bytes = 0;  ///< of what the launch asked for

  SharedUse most(const SharedUse& other) const {
    return {std::max(static_bytes, other.static_bytes), std::max(dynamic_bytes, other.dynamic_bytes)};
  }
  friend bool operator==(const SharedUse&, const SharedUse&) = default;
};

}  // namespace vgpu
