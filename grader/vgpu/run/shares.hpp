// Distributes the blocks of a wave over its workers: consecutive blocks together, since they mostly use
// neighbouring memory, and fewer at a time towards the end, so that all workers finish together (guided
// self-scheduling: Polychronopoulos and Kuck, IEEE Transactions on Computers 36(12), 1987).
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdint>

namespace vgpu::exec {

class Shares {
 public:
  Shares(std::uint64_t count, std::uint64_t workers) : count_(count), workers_(workers) {}

  struct Range {
    std::uint64_t first = 0, end = 0;
    bool empty() const { return first == end; }
  };
  /// Thread safe.
  Range take() {
    std::uint64_t first = next_;
    Range range;
    do {
      assert(first <= count_);
      const std::uint64_t share = (count_ - first) / (kSharesOfRest * workers_);
      range = {first, std::min(count_, first + std::max<std::uint64_t>(share, 1))};
    } while (!next_.compare_exchange_weak(first, range.end));
    return range;
  }

 private:
  static constexpr std::uint64_t kSharesOfRest =
      2;  // shares per worker into which the remaining blocks are divided

  std::uint64_t count_, workers_;
  std::atomic<std::uint64_t> next_{0};
};

}  // namespace vgpu::exec
