// The happens-before relation of the threads of a block, as vector clocks (Flanagan and Freund, FastTrack,
// PLDI 2009), one clock per warp. A warp's clock ticks whenever its threads synchronise; an access is
// recorded with the clock at which it happened.
//
// Barriers order the warps that take part, and warp-wide instructions the lanes that they name. Atomics and
// volatile accesses: when a warp reads a location and then passes a fence or a barrier, its later accesses
// are ordered after those that the writing warp made before its last fence before the write. Where lanes of a
// warp order one another through an atomic, the whole warp counts as ordered. Clocks continue from block to
// block, so that entries of an earlier block in a shadow count as settled. Covered by
// tests/vgpu/shared_checks_test.cpp and global_checks_test.cpp.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <vector>

#include "vgpu/state/block_table.hpp"

namespace vgpu {

class BlockClocks {
 public:
  using Clock = std::uint32_t;
  static constexpr Clock kEnd = 1U << 17U;  ///< all clocks are below
  /// Clocks of a block until it has to start over, wherever the block before it ended: what is found in a
  /// block must not depend on the blocks that the same core has executed before.
  static constexpr Clock kMostOfBlock = kEnd / 8 * 7;
  static constexpr unsigned kLanes = 32;

  explicit BlockClocks(unsigned warps);

  void begin_block();
  /// Fewer than two ticks are left: the shadows must be cleared and restart() called, which discards the
  /// order of earlier accesses.
  bool is_exhausted() const { return latest_ + 2 >= start_ + kMostOfBlock; }
  /// Whether the block that has just begun can use all its clocks; otherwise as is_exhausted().
  bool has_room() const { return start_ + kMostOfBlock <= kEnd; }
  void restart();

  /// Gives later accesses later clocks than earlier ones, without ordering any threads.
  void advance();
  Clock latest() const { return latest_; }
  /// Counts what changes a clock or what is ordered, of any warp: as long as it stays the same, a warp that
  /// synchronises again at an address publishes and learns nothing new, unless another warp did so in
  /// between.
  std::uint64_t changes() const { return changes_; }
  Clock now(unsigned warp) const { return now_[warp]; }
  Clock start() const { return start_; }  ///< the block's first clock; earlier clocks belong to other blocks
  /// Accesses of all threads up to this clock are ordered before the warp's next access.
  Clock settled(unsigned warp) const { return settled_[warp]; }
  /// As settled(), for the accesses of the warp's own lanes.
  Clock settled_in_warp(unsigned warp) const { return in_warp_[warp]; }
  /// Whether settled() is all that is ordered before a warp, apart from its own lanes' accesses.
  bool has_one_floor() const { return !is_split_; }
  /// Whether the access of thread `earlier` of the block at `clock` is ordered before the next one of
  /// `thread`.
  bool is_ordered(Clock clock, unsigned earlier, unsigned thread) const {
    const unsigned warp = thread / kLanes;
    const unsigned other = earlier / kLanes;
    assert(warp < warps_ && other < warps_);
    if (clock <= settled_[warp]) return true;
    if (other != warp) return clock <= (is_split_ ? known(warp, other) : floor_);
    if (clock <= in_warp_[warp]) return true;
    return lanes_[warp] != nullptr && clock <= (*lanes_[warp])[thread % kLanes][earlier % kLanes];
  }
  /// Whether lanes of the warp have met in parts, so that not the same accesses are ordered before all of
  /// them.
  bool has_lane_clocks(unsigned warp) const { return lanes_[warp] != nullptr; }
  /// Whether the access at `clock` of any other lane of its warp is ordered before the thread's next one.
  bool has_met_others(Clock clock, unsigned thread) const;

  /// Warps in the mask meet at a barrier; `everybody`: these are all live warps of the block.
  void meet_at_barrier(std::uint32_t warps, bool everybody);
  /// Lanes in the mask meet at a warp-wide instruction; `everybody`: these are all live lanes of the warp.
  void meet_in_warp(unsigned warp, std::uint32_t lanes, bool everybody);
  /// Takes back all meetings of lanes since all threads of the block last met, if nothing else has changed a
  /// clock since then.
  void take_back_meetings();
  /// A fence: what the warp did before it can be released, what it has observed is acquired.
  void fence(unsigned warp);
  /// The releasing half of a fence.
  void begin_release(unsigned warp);
  /// Whether the warp has passed a fence since all threads of the block last met.
  bool has_fenced(unsigned warp) const { return fenced_[warp] > floor_; }
  void release(unsigned warp, std::uint64_t address, bool has_acquired = false);
  void acquire(unsigned warp, std::uint64_t address);
  /// A relaxed read of the address: acquires at the warp's next fence or barrier.
  void observe(unsigned warp, std::uint64_t address);
  bool has_published_none() const { return published_ == 0; }
  /// Whether all releases at the address follow a fence, and the last one was made or acquired by the warp.
  /// Then all atomics at the address, which read one another's results, are ordered before the warp's next
  /// access to it: the last thread to count may reset the counter. (is_ordered() does not cover this, because
  /// a fence orders only accesses before it, not the atomic after it.)
  bool has_seen_atomics(unsigned warp, std::uint64_t address);

 private:
  struct Publication {
    std::vector<Clock> clocks;        ///< by warp: its accesses up to this clock are published
    Clock highest = 0;                ///< of these clocks
    std::uint32_t releases = 0;       ///< number of releases so far
    std::vector<std::uint32_t> seen;  ///< by warp: number of releases that are ordered before it
    Clock unfenced = 0;               ///< clock of the last release without a fence
  };
  /// nullptr: nothing was released at the address.
  Publication* published_at(std::uint64_t address) {
    const std::size_t* known = released_.find(address);
    return known == nullptr ? nullptr : &publications_[*known];
  }
  Publication& add_publication(std::uint64_t address);
  void acquire_observed(unsigned warp);
  void acquire(unsigned warp, const std::vector<Clock>& published);
  using LaneClocks = std::array<std::array<Clock, kLanes>, kLanes>;

  void tick(unsigned warp);
  void settle(unsigned warp);
  /// Switches from one common floor to a clock for every pair of warps.
  void split();
  Clock& known(unsigned warp, unsigned other) { return known_[warp * warps_ + other]; }
  Clock known(unsigned warp, unsigned other) const { return known_[warp * warps_ + other]; }

  unsigned warps_;
  Clock latest_ = 0;  ///< the highest clock in use
  std::uint64_t changes_ = 0;
  Clock start_ = 1;
  Clock floor_ = 0;  ///< accesses up to this clock are ordered before all threads
  std::vector<Clock> now_, settled_;
  std::vector<Clock> in_warp_;  ///< accesses of a warp's own lanes up to this clock are ordered
  std::vector<Clock> fenced_;   ///< a warp's next release publishes its accesses up to this clock
  bool is_split_ = false;
  std::vector<Clock> known_;                        ///< [warp][other], meaningful when is_split_
  std::vector<std::unique_ptr<LaneClocks>> lanes_;  ///< [lane][other]; after meetings of part of a warp
  std::vector<Publication> publications_;           ///< the first published_ are the block's
  std::size_t published_ = 0;
  BlockTable<std::size_t> released_;          ///< by address: index into publications_
  std::vector<std::vector<Clock>> observed_;  ///< [warp][other]: published clocks that the warp has read;
                                              ///< empty: none
};

}  // namespace vgpu
