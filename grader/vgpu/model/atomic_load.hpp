// The load of atomics on the L2 unit that executes them, for one line of 128 bytes. Lanes of a request that
// name the same word are executed one after another, and so are requests for several words of a line.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vgpu {

struct AtomicLoad {
  std::uint64_t lanes = 0;  ///< per request the largest number of lanes on one word, summed over requests
  std::uint64_t float_lanes = 0;  ///< like `lanes`, for atomics on floating-point numbers
  std::uint64_t scattered = 0;    ///< requests for several words

  AtomicLoad& operator+=(const AtomicLoad& other) {
    lanes += other.lanes;
    float_lanes += other.float_lanes;
    scattered += other.scattered;
    return *this;
  }
  /// Keeps the larger of each count.
  void keep_most(const AtomicLoad& other) {
    lanes = std::max(lanes, other.lanes);
    float_lanes = std::max(float_lanes, other.float_lanes);
    scattered = std::max(scattered, other.scattered);
  }
  friend bool operator==(const AtomicLoad&, const AtomicLoad&) = default;
};

}  // namespace vgpu
