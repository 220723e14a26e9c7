// The threads that accessed adjacent granules, as one formula: the logs of blocks then have one entry for a
// row of a matrix that a block loaded tile by tile, or for a column of threads that stored a transposed tile.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

namespace vgpu {

struct ThreadSequence {
  static constexpr std::uint8_t kOneThread = 31;  ///< as shift: one thread accessed all granules
  static constexpr std::uint32_t kNoPeriod = ~std::uint32_t{0};

  std::uint8_t shift = kOneThread;        ///< a thread accessed 2^shift adjacent granules
  std::uint16_t step = 1;                 ///< from one thread to the next one
  std::uint32_t period_mask = kNoPeriod;  ///< after period_mask + 1 granules the threads start over

  /// What the thread of a granule adds to that of granule 0.
  std::uint32_t offset_of(std::uint32_t granule) const { return ((granule & period_mask) >> shift) * step; }
  bool has_one_thread() const { return shift == kOneThread; }
  /// The number of granules from this one on before the threads start over, minus one.
  std::uint32_t rest_of_period(std::uint32_t granule) const { return period_mask - (granule & period_mask); }
  bool has_period() const { return period_mask != kNoPeriod; }
  /// Whether the threads can start over after this number of granules.
  static bool can_be_period(std::uint32_t granules) { return std::has_single_bit(granules); }
  void set_period(std::uint32_t granules) {
    assert(can_be_period(granules));
    period_mask = granules - 1;
  }
};

}  // namespace vgpu
