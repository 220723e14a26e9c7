#include "vgpu/races/block_clocks.hpp"

#include <algorithm>

namespace vgpu {

BlockClocks::BlockClocks(unsigned warps)
    : warps_(warps),
      now_(warps),
      settled_(warps),
      in_warp_(warps),
      fenced_(warps),
      lanes_(warps),
      observed_(warps) {
  assert(warps <= kLanes);  // sets of warps are masks of 32 bits
  begin_block();
}

void BlockClocks::begin_block() {
  ++changes_;
  // Clocks up to the floor are those of earlier blocks, which count as ordered before this one.
  floor_ = latest_;
  start_ = ++latest_;
  std::fill(now_.begin(), now_.end(), start_);
  std::fill(settled_.begin(), settled_.end(), floor_);
  std::fill(in_warp_.begin(), in_warp_.end(), floor_);
  std::fill(fenced_.begin(), fenced_.end(), floor_);
  for (auto& lanes : lanes_) lanes.reset();
  for (auto& observed : observed_) observed.clear();
  is_split_ = false;
  released_.clear();
  published_ = 0;
}

void BlockClocks::advance() {
  ++changes_;
  ++latest_;
  assert(latest_ < kEnd);
  std::fill(now_.begin(), now_.end(), latest_);
}

void BlockClocks::restart() {
  latest_ = 0;
  begin_block();
}

bool BlockClocks::has_met_others(Clock clock, unsigned thread) const {
  const unsigned first = thread - thread % kLanes;
  for (unsigned other = first; other < first + kLanes; ++other)
    if (other != thread && is_ordered(clock, other, thread)) return true;
  return false;
}

/// A key of race_shadow.hpp has 17 bits for a clock: the owner restarts the clocks before they reach kEnd.
void BlockClocks::tick(unsigned warp) {
  ++changes_;
  latest_ = std::max(latest_, ++now_[warp]);
  assert(latest_ < kEnd);
}

/// settled_ is a lower bound over all threads of the block: most accesses are found to be ordered by
/// comparing with it alone, without the clock of the pair of warps.
void BlockClocks::settle(unsigned warp) {
  Clock lowest = in_warp_[warp];
  for (unsigned other = 0; other < warps_; ++other) {
    if (other != warp) lowest = std::min(lowest, is_split_ ? known(warp, other) : floor_);
  }
  settled_[warp] = lowest;
}

void BlockClocks::split() {
  if (is_split_) return;
  is_split_ = true;
  known_.assign(std::size_t{warps_} * warps_, floor_);
}

void BlockClocks::meet_at_barrier(std::uint32_t warps, bool everybody) {
  ++changes_;
  if (everybody) {
    // All threads are ordered: one common floor replaces the clocks of pairs.
    floor_ = latest_;
    ++latest_;
    assert(latest_ < kEnd);
    is_split_ = false;
    for (unsigned warp = 0; warp < warps_; ++warp) {
      now_[warp] = latest_;
      settled_[warp] = in_warp_[warp] = fenced_[warp] = floor_;
      lanes_[warp].reset();
      observed_[warp].clear();
    }
    return;
  }
  for (unsigned warp = 0; warp < warps_; ++warp)
    if ((warps >> warp & 1U) != 0) acquire_observed(warp);
  // Each warp takes the maximum, by component, of the vector clocks of all warps that meet.
  split();
  std::vector<Clock> together(warps_, floor_);
  Clock highest = 0;
  for (unsigned warp = 0; warp < warps_; ++warp) {
    if ((warps >> warp & 1U) == 0) continue;
    for (unsigned other = 0; other < warps_; ++other)
      together[other] = std::max(together[other], known(warp, other));
    together[warp] = std::max(together[warp], now_[warp]);
    highest = std::max(highest, now_[warp]);
  }
  for (unsigned warp = 0; warp < warps_; ++warp) {
    if ((warps >> warp & 1U) == 0) continue;
    std::copy(together.begin(), together.end(), &known(warp, 0));
    in_warp_[warp] = fenced_[warp] = now_[warp];
    lanes_[warp].reset();
    now_[warp] = highest;
    tick(warp);
    settle(warp);
  }
}

void BlockClocks::meet_in_warp(unsigned warp, std::uint32_t lanes, bool everybody) {
  acquire_observed(warp);
  const Clock before = now_[warp];
  if (everybody) {
    in_warp_[warp] = before;
    lanes_[warp].reset();
    if (warps_ == 1) settled_[warp] = before;
  } else {
    if (!lanes_[warp]) lanes_[warp] = std::make_unique<LaneClocks>();
    LaneClocks& known = *lanes_[warp];
    std::array<Clock, kLanes> together{};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1U) == 0) continue;
      for (unsigned other = 0; other < kLanes; ++other)
        together[other] = std::max(together[other], known[lane][other]);
      together[lane] = before;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if ((lanes >> lane & 1U) != 0) known[lane] = together;
  }
  tick(warp);
}

void BlockClocks::take_back_meetings() {
  ++changes_;
  assert(!is_split_);
  for (unsigned warp = 0; warp < warps_; ++warp) {
    now_[warp] = floor_ + 1;
    settled_[warp] = in_warp_[warp] = floor_;
    lanes_[warp].reset();
  }
}

void BlockClocks::fence(unsigned warp) {
  acquire_observed(warp);
  begin_release(warp);
}

void BlockClocks::begin_release(unsigned warp) {
  // A release publishes what the warp did before its last fence.
  fenced_[warp] = now_[warp];
  tick(warp);
}

BlockClocks::Publication& BlockClocks::add_publication(std::uint64_t address) {
  if (published_ == publications_.size()) publications_.emplace_back();
  released_.add(address, published_);
  Publication& added = publications_[published_++];
  // Earlier blocks' vectors stay allocated.
  added.clocks.assign(warps_, 0);
  added.seen.assign(warps_, 0);
  added.highest = 0;
  added.releases = 0;
  added.unfenced = 0;
  return added;
}

void BlockClocks::release(unsigned warp, std::uint64_t address, bool has_acquired) {
  // A release adds to earlier ones at the address: observation order runs through a chain of atomics (PTX
  // ISA, "Memory Consistency Model"), so that an acquire of the last value sees all of them.
  Publication* earlier = published_at(address);
  Publication& published = earlier != nullptr ? *earlier : add_publication(address);
  // Clocks up to the floor order nothing.
  const bool orders_nothing = !is_split_ && fenced_[warp] <= floor_;
  for (unsigned other = 0; other < warps_ && !orders_nothing; ++other) {
    const Clock reached = other == warp ? fenced_[warp] : is_split_ ? known(warp, other) : floor_;
    published.clocks[other] = std::max(published.clocks[other], reached);
    published.highest = std::max(published.highest, reached);
  }
  // Without a fence since the floor the release itself is not ordered after the warp's accesses.
  if (fenced_[warp] <= floor_) published.unfenced = now_[warp];
  const bool knows_all =
      has_acquired || (published.releases != 0 && published.seen[warp] == published.releases);
  ++published.releases;
  if (knows_all) published.seen[warp] = published.releases;
}

void BlockClocks::acquire(unsigned warp, std::uint64_t address) {
  Publication* published = published_at(address);
  if (published == nullptr) return;
  published->seen[warp] = published->releases;
  acquire(warp, published->clocks);
}

void BlockClocks::acquire(unsigned warp, const std::vector<Clock>& published) {
  ++changes_;
  split();
  for (unsigned other = 0; other < warps_; ++other)
    known(warp, other) = std::max(known(warp, other), published[other]);
  in_warp_[warp] = std::max(in_warp_[warp], published[warp]);
  settle(warp);
}

void BlockClocks::observe(unsigned warp, std::uint64_t address) {
  Publication* published = published_at(address);
  if (published == nullptr) return;
  published->seen[warp] = published->releases;
  if (published->highest <= floor_) return;  // orders nothing
  std::vector<Clock>& observed = observed_[warp];
  observed.resize(warps_);
  for (unsigned other = 0; other < warps_; ++other)
    observed[other] = std::max(observed[other], published->clocks[other]);
}

void BlockClocks::acquire_observed(unsigned warp) {
  if (observed_[warp].empty()) return;
  acquire(warp, observed_[warp]);
  observed_[warp].clear();
}

bool BlockClocks::has_seen_atomics(unsigned warp, std::uint64_t address) {
  const Publication* published = published_at(address);
  return published != nullptr && published->seen[warp] == published->releases &&
         published->unfenced <= floor_;
}

}  // namespace vgpu
