// What atomics ask of the unit in L2 that does them, on one line of 128 bytes. Lanes of a request that name
// the same word are done one after another; so are requests that reach several words of a line.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vgpu {

struct AtomicLoad {
  std::uint64_t lanes = 0;        ///< on the word that most lanes of a request name, summed over requests
  std::uint64_t float_lanes = 0;  ///< the same of atomics on floating-point numbers
  std::uint64_t scattered = 0;    ///< requests that reach several words

  AtomicLoad& operator+=(const AtomicLoad& other) {
    lanes += other.lanes;
    float_lanes += other.float_lanes;
    scattered += other.scattered;
    return *this;
  }
  /// The most of each.
  void keep_most(const AtomicLoad& other) {
    lanes = std::max(lanes, other.lanes);
    float_lanes = std::max(float_lanes, other.float_lanes);
    scattered = std::max(scattered, other.scattered);
  }
  friend bool operator==(const AtomicLoad&, const AtomicLoad&) = default;
};

}  // namespace vgpu
