// The number of blocks that take part in a launch's work, in constant memory. Not thread safe. Covered by
// tests/vgpu/device_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace vgpu::exec {

class WorkingBlocks {
 public:
  /// `work`: of one block, in any unit, such as its instructions or its stores.
  void add(std::uint64_t work) {
    ++blocks_[bucket(work)];
    busiest_ = work > busiest_ ? work : busiest_;
  }

  bool has_work() const { return busiest_ > 0; }

  /// The blocks that do at least half as much as the busiest one; all, if none does anything. The half of
  /// more than 15 is rounded down by up to an eighth.
  std::uint64_t count() const {
    const auto first = blocks_.begin() + static_cast<std::ptrdiff_t>(bucket(busiest_ / 2 + busiest_ % 2));
    return std::accumulate(first, blocks_.end(), std::uint64_t{0});
  }

 private:
  static constexpr int kPartBits = 3;  // eight buckets for each power of two

  static std::size_t bucket(std::uint64_t value) {
    const int shift = std::max(static_cast<int>(std::bit_width(value)) - (kPartBits + 1), 0);
    // The leading 4 bits are 8 to 15, except if the value is less than 8: each shift adds eight buckets.
    return (static_cast<std::size_t>(shift) << kPartBits) + (value >> shift);
  }

  std::array<std::uint64_t, 64U << kPartBits> blocks_{};
  std::uint64_t busiest_ = 0;
};

}  // namespace vgpu::exec
