// Loops in which each lane of a warp reads along a row of its own, as a thread that sums a row of a matrix.
// One load of such a loop is recorded in as many places as there are rows. So the loads wait, and are
// recorded row by row as soon as the order or the records matter: before a clock changes, and before anything
// else accesses their pages, to which the block has not stored. Covered by tests/vgpu/row_loads_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "vgpu/races/race_shadow.hpp"
#include "vgpu/shadow/global_shadow.hpp"
#include "vgpu/state/access.hpp"

namespace vgpu::exec {

/// The addresses of a warp's lanes: lane i loads from row i / width % period.
struct RowShape {
  std::uint64_t stride = 0;  ///< from a row to the next one, bytes, modulo 2^64
  std::uint32_t mask = 0;    ///< active lanes
  std::uint8_t width = 0, period = 0;
  std::uint8_t bytes = 0;  ///< of an element; 0: the lanes do not load from rows

  static RowShape of(const Memo& memo) {
    const auto lanes = static_cast<unsigned>(std::countr_one(memo.mask));
    if (lanes == 0 || (memo.mask & (memo.mask + 1)) != 0) return {};  // a lane before another is missing
    const auto& delta = memo.delta;
    unsigned width = 1;
    while (width < lanes && delta[width] == 0) ++width;
    if (width == lanes) return {};
    unsigned period = 2;
    while (period * width < lanes && delta[std::size_t{period} * width] != 0) ++period;
    const RowShape shape{delta[width], memo.mask, static_cast<std::uint8_t>(width),
                         static_cast<std::uint8_t>(period), memo.form.bytes};
    std::uint64_t elsewhere = 0;
    for (unsigned lane = 0; lane < lanes; ++lane)
      elsewhere |= delta[lane] ^ (lane / width % period * shape.stride);
    return elsewhere == 0 && shape.length() >= kGroup ? shape : RowShape{};
  }

  bool has_rows() const { return bytes != 0; }
  /// Elements that a row has before the next one begins.
  std::uint64_t length() const {
    const auto distance = static_cast<std::int64_t>(stride);
    return static_cast<std::uint64_t>(distance < 0 ? -distance : distance) / bytes;
  }
  friend bool operator==(const RowShape&, const RowShape&) = default;
};

class RowLoads {
 public:
  static constexpr std::size_t kMostGranules = GlobalShadow::kPageGranules;

  /// The lanes from `first` to `last` load from granule `at` on.
  struct Row {
    GlobalShadow::Page* page = nullptr;
    std::size_t at = 0;
    unsigned first = 0, last = 0;
  };
  /// The loads of a warp's loop.
  struct Loop {
    RowShape shape;
    unsigned warp = 0;
    unsigned granules = 0, limit = 0;  ///< of each row: those that wait, and how many can
    WarpLoad load;                     ///< with the first one's site
    unsigned row_count = 0;
    std::array<Row, kWarpLanes> rows;
    std::array<SiteIndex, kMostGranules> sites;  ///< by granule of a row

    bool waits() const { return granules != 0; }
    bool has_room() const { return granules < limit; }
  };

  /// The loop that continues with this load; nullptr: none.
  Loop* find(const RowShape& shape, unsigned warp, std::uint64_t address) {
    for (std::size_t i = 0; i < kLoops; ++i)
      if (next_[i] == address && loops_[i].warp == warp && loops_[i].shape == shape) return &loops_[i];
    return nullptr;
  }
  /// The place for a loop that perhaps begins with this load. Loads that wait there have to be recorded
  /// first.
  Loop& place() {
    for (std::size_t i = 0; i < kLoops && loops_[latest_].waits(); ++i) latest_ = (latest_ + 1) % kLoops;
    Loop& loop = loops_[latest_];
    latest_ = (latest_ + 1) % kLoops;
    return loop;
  }
  /// The loop's next load is expected after the one at this address.
  void expect_after(const Loop& loop, std::uint64_t address) {
    next_[static_cast<std::size_t>(&loop - loops_.data())] = address + loop.shape.bytes;
  }
  /// The load at this address waits.
  void add(Loop& loop, std::uint64_t address, SiteIndex site, unsigned per_lane) {
    waiting_ += loop.waits() ? 0 : 1;
    std::fill_n(&loop.sites[loop.granules], per_lane, site);
    loop.granules += per_lane;
    expect_after(loop, address);
  }
  /// The loop's loads no longer wait. Returns how many granules of each row they have loaded.
  unsigned take(Loop& loop) {
    waiting_ -= loop.waits() ? 1 : 0;
    return std::exchange(loop.granules, 0);
  }
  bool are_waiting() const { return waiting_ != 0; }
  std::span<Loop> loops() { return loops_; }
  /// Forgets all loops; those that wait are not recorded.
  void clear() {
    next_.fill(kNowhere);
    for (Loop& loop : loops_) take(loop);
  }

 private:
  static constexpr std::size_t kLoops = 8;
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};  // no aligned address

  std::array<Loop, kLoops> loops_;
  std::array<std::uint64_t, kLoops> next_;  ///< by loop: the address of the next load
  std::size_t latest_ = 0;
  unsigned waiting_ = 0;  ///< loops
};

}  // namespace vgpu::exec
