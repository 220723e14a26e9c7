// Who in a block is ordered before whom: the happens-before relation of its threads, as vector clocks
// (Flanagan and Freund, FastTrack, PLDI 2009), one clock a warp. A warp's clock ticks whenever its threads
// synchronise; an access is remembered with the clock at which it happened.
//
// Barriers order the warps that take part, warp-wide instructions the lanes that they name, and atomics or
// volatile accesses order a warp that reads a location behind what others did before their last fence before
// they wrote it. Where lanes of a warp order one another through an atomic, the whole warp counts as ordered.
// Clocks go on from block to block, so that what an earlier block left in a shadow counts as long ago.
// Covered by tests/vgpu/shared_checks_test.cpp and global_checks_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace vgpu {

class BlockClocks {
 public:
  using Clock = std::uint32_t;
  static constexpr Clock kEnd = 1U << 17U;  ///< clocks stay below; see is_exhausted()
  static constexpr unsigned kLanes = 32;

  explicit BlockClocks(unsigned warps);

  void begin_block();
  /// No ticks left: the shadows must be cleared and restart() called. What came before is forgotten.
  bool is_exhausted() const { return latest_ + 2 >= kEnd; }
  void restart();

  /// Time passes, nobody synchronises: what follows has later clocks than what came before.
  void advance();
  Clock latest() const { return latest_; }
  Clock now(unsigned warp) const { return now_[warp]; }
  Clock start() const { return start_; }  ///< of the block; whatever has an earlier clock is another block's
  /// Accesses of anybody up to this clock are ordered before what the warp does now.
  Clock settled(unsigned warp) const { return settled_[warp]; }
  /// Whether what `earlier` (a thread of the block) did at `clock` is ordered before what `thread` does now.
  bool is_ordered(Clock clock, unsigned earlier, unsigned thread) const;
  /// Whether what any other lane of its warp did at `clock` is ordered before what the thread does now.
  bool has_met_others(Clock clock, unsigned thread) const;

  /// Warps in the mask meet at a barrier; `everybody`: no other warp of the block is left.
  void meet_at_barrier(std::uint32_t warps, bool everybody);
  /// Lanes in the mask meet at a warp-wide instruction; `everybody`: no other lane of the warp is left.
  void meet_in_warp(unsigned warp, std::uint32_t lanes, bool everybody);
  void fence(unsigned warp);
  void release(unsigned warp, std::uint64_t address, bool has_acquired = false);
  void acquire(unsigned warp, std::uint64_t address);
  /// Whether all releases at the address stand behind a fence, and the last one was the warp's own or has
  /// been acquired by it. Then all atomics there, which read one another's results, come before what the warp
  /// does to the address now: the last one to count may reset the counter. (A fence ends before the atomic
  /// behind it, so is_ordered() does not say it.)
  bool has_seen_atomics(unsigned warp, std::uint64_t address) const;

 private:
  struct Publication {
    std::vector<Clock> clocks;        ///< by warp: up to here its accesses are published
    std::uint32_t releases = 0;       ///< so far
    std::vector<std::uint32_t> seen;  ///< by warp: how many of them it knows to be before it
    Clock unfenced = 0;               ///< of the last release without a fence
  };
  using LaneClocks = std::array<std::array<Clock, kLanes>, kLanes>;

  void tick(unsigned warp);
  void settle(unsigned warp);
  /// Makes what every warp knows of every other explicit.
  void split();
  Clock& known(unsigned warp, unsigned other) { return known_[warp * warps_ + other]; }
  Clock known(unsigned warp, unsigned other) const { return known_[warp * warps_ + other]; }

  unsigned warps_;
  Clock latest_ = 0;  ///< the highest clock in use
  Clock start_ = 1;
  Clock floor_ = 0;  ///< everybody knows what everybody did up to here
  std::vector<Clock> now_, settled_;
  std::vector<Clock> in_warp_;  ///< up to here a warp's lanes know of one another
  std::vector<Clock> fenced_;   ///< up to here a warp's accesses are published by its next release
  bool is_split_ = false;
  std::vector<Clock> known_;                        ///< [warp][other], meaningful when is_split_
  std::vector<std::unique_ptr<LaneClocks>> lanes_;  ///< [lane][other]; after meetings of part of a warp
  std::unordered_map<std::uint64_t, Publication> released_;  ///< by address
};

}  // namespace vgpu
