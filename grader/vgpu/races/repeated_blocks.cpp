#include "vgpu/races/repeated_blocks.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "vgpu/races/last_accesses.hpp"

namespace vgpu::exec {

void RepeatedBlocks::begin_block(bool can_repeat) {
  next_ = end_ = nullptr;
  state_ = State::off;
  if (!can_repeat) return;
  if (blocks_to_pause_ != 0) {
    --blocks_to_pause_;
    return;
  }
  if (++misses_ > kMostMisses) {
    blocks_to_pause_ = pause_;
    pause_ = std::min(4 * pause_, kLongestPause);
    constexpr unsigned kTries = 2;  // one to list a block, and one to repeat it
    misses_ = kMostMisses - kTries;
    return;
  }
  if (is_kept_) {
    state_ = State::following;
    next_ = accesses_.data();
    end_ = next_ + accesses_.size();
    return;
  }
  state_ = State::listing;
  accesses_.clear();
  allocations_.clear();
}

bool RepeatedBlocks::step(unsigned warp, SiteIndex site, const Memo& memo, std::uint64_t base) {
  if (next_ == end_) return false;
  Access& access = *next_;
  if (access.warp() != warp || access.site() != site || access.allocation != memo.allocation) return false;
  if (access.learned() != memo.learned && !has_pattern(access.pattern, memo)) return false;
  Allocation& allocation = allocations_[access.place];
  if (access.is_first) allocation.distance = base - access.base;
  if (base - access.base != allocation.distance) return false;
  access.key = Access::key_of(warp, site, memo.learned);
  ++next_;
  return true;
}

bool RepeatedBlocks::has_pattern(std::uint16_t pattern, const Memo& memo) const {
  const Memo& known = patterns_[pattern];
  return known.mask == memo.mask && known.form.space == memo.form.space &&
         known.form.bytes == memo.form.bytes && known.delta == memo.delta;
}

std::uint16_t RepeatedBlocks::pattern_of(const Memo& memo) {
  std::uint16_t pattern = 0;
  while (pattern < patterns_.size() && !has_pattern(pattern, memo)) ++pattern;
  if (pattern == patterns_.size()) patterns_.push_back(memo);
  return pattern;
}

std::uint8_t RepeatedBlocks::place_of(const Memo& memo, bool& is_first) {
  const auto known = std::find_if(allocations_.begin(), allocations_.end(),
                                  [&](const Allocation& one) { return one.number == memo.allocation; });
  is_first = known == allocations_.end();
  const auto place = static_cast<std::uint8_t>(known - allocations_.begin());
  if (is_first) allocations_.push_back({.number = memo.allocation, .first = ~std::uint64_t{0}});
  return place;
}

void RepeatedBlocks::widen(Allocation& allocation, const Memo& memo, std::uint64_t base) const {
  allocation.first = std::min(allocation.first, base + memo.lowest);
  allocation.end = std::max(allocation.end, base + memo.highest + memo.form.bytes);
}

void RepeatedBlocks::list(unsigned warp, const AccessSite& site, const Memo& memo, std::uint64_t base) {
  assert(state_ == State::listing);
  Access access{
      .key = Access::key_of(warp, site.number, memo.learned), .base = base, .allocation = memo.allocation};
  Recent& recent = recent_[site.number % recent_.size()];
  if (recent.site != site.number || recent.learned != memo.learned)
    recent = {site.number, memo.learned, pattern_of(memo)};
  access.pattern = recent.pattern;
  access.place = place_of(memo, access.is_first);
  Allocation& allocation = allocations_[access.place];
  allocation.is_loaded |= !site.is_store;
  widen(allocation, memo, base);
  accesses_.push_back(access);
  const bool has_room = accesses_.size() < kMostAccesses && allocations_.size() < kMostAllocations &&
                        patterns_.size() < kMostPatterns;
  if (has_room) return;
  patterns_.clear();
  recent_ = {};
  leave();
}

std::size_t RepeatedBlocks::begin_to_list() {
  if (state_ != State::following) return 0;
  const auto count = static_cast<std::size_t>(next_ - accesses_.data());
  accesses_.resize(count);
  std::size_t places = 0;
  for (Allocation& one : allocations_) {
    one.first = ~std::uint64_t{0};
    one.end = 0;
  }
  for (Access& access : accesses_) {
    Allocation& allocation = allocations_[access.place];
    access.base += allocation.distance;
    places = std::max<std::size_t>(places, access.place + 1U);
    widen(allocation, patterns_[access.pattern], access.base);
  }
  allocations_.resize(places);
  next_ = end_ = nullptr;
  is_kept_ = false;
  state_ = State::listing;
  return count;
}

void RepeatedBlocks::leave() {
  assert(state_ != State::following);
  state_ = State::off;
  accesses_.clear();
  allocations_.clear();
}

std::uint8_t RepeatedBlocks::place_of(std::uint64_t address) const {
  const auto holds = [&](const Allocation& one) { return one.first <= address && address < one.end; };
  const auto found = std::find_if(allocations_.begin(), allocations_.end(), holds);
  assert(found != allocations_.end());
  return static_cast<std::uint8_t>(found - allocations_.begin());
}

void RepeatedBlocks::keep(const BlockLog& log) {
  runs_.clear();
  for (const AccessRun& run : log.runs) {
    // put_parts() divides runs between the elements only.
    assert(!run.spacing.has_gaps() || run.threads.has_one_thread() || run.threads.shift <= run.spacing.shift);
    runs_.push_back({run, place_of(run.address)});
  }
  sites_ = log.sites;
  is_kept_ = true;
}

bool RepeatedBlocks::end_list() { return std::exchange(state_, State::off) == State::listing; }

void RepeatedBlocks::put_log(BlockLog& log) {
  misses_ = 0;
  pause_ = kFirstPause;
  log.sites = sites_;
  log.runs.reserve(runs_.size());
  for (const KeptRun& kept : runs_) {
    AccessRun run = kept.run;
    run.address += allocations_[kept.place].distance;
    if (run.spacing.has_gaps() && !is_in_page(run))
      put_parts(log, run);
    else
      log.runs.push_back(run);
  }
}

bool RepeatedBlocks::is_in_page(const AccessRun& run) const {
  const std::uint64_t page_bytes = LastAccesses::kPageGranules * granule_bytes_;
  return run.address / page_bytes == run.address_of(run.granules - 1, granule_bytes_) / page_bytes;
}

/// Elements with gaps between them are in one page; an element can begin in one and end in the next.
void RepeatedBlocks::put_parts(BlockLog& log, const AccessRun& run) const {
  const std::uint32_t page = LastAccesses::kPageGranules, element = run.spacing.element();
  const std::uint32_t distance = element + run.spacing.gap;
  for (std::uint32_t done = 0; done < run.granules;) {
    AccessRun& part = log.runs.emplace_back(run);
    part.address = run.address_of(done, granule_bytes_);
    part.thread = static_cast<std::uint16_t>(run.thread_of(done));
    if (!run.has_one_site()) part.sites_at += done;
    const auto at = static_cast<std::uint32_t>(part.address / granule_bytes_ % page);
    const bool has_room = at + element <= page;
    part.granules = has_room ? ((page - at - element) / distance + 1) * element : element;
    if (!has_room) part.spacing = {};
    part.granules = std::min(part.granules, run.granules - done);
    const std::uint32_t rest = run.threads.rest_of_period(done);
    if (rest != run.threads.period_mask) {  // not at the first thread
      part.granules = std::min(part.granules, rest + 1);
      part.threads.period_mask = ThreadSequence::kNoPeriod;
    }
    done += part.granules;
  }
}

}  // namespace vgpu::exec
