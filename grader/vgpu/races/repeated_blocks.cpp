#include "vgpu/races/repeated_blocks.hpp"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

#include "vgpu/races/last_accesses.hpp"

namespace vgpu::exec {

void RepeatedBlocks::begin_block(bool can_repeat) {
  next_ = end_ = nullptr;
  state_ = State::off;
  is_rough_ = replaces_rough_ = false;
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
  const auto latest =
      std::max_element(blocks_.begin(), blocks_.end(), [](const Block& one, const Block& other) {
        return std::pair(one.can_repeat, one.used) < std::pair(other.can_repeat, other.used);
      });
  if (latest->can_repeat) return follow(*latest);
  state_ = State::listing;
  block_ = &place_but(nullptr);
}

void RepeatedBlocks::follow(Block& block) {
  state_ = State::following;
  block_ = &block;
  next_ = block.accesses.data();
  end_ = next_ + block.accesses.size();
}

RepeatedBlocks::Block& RepeatedBlocks::place_but(const Block* other) {
  const auto place =
      std::min_element(blocks_.begin(), blocks_.end(), [&](const Block& one, const Block& next) {
        return std::tuple(&one == other, one.is_kept, one.used) <
               std::tuple(&next == other, next.is_kept, next.used);
      });
  place->is_kept = false;
  place->accesses.clear();
  place->allocations.clear();
  return *place;
}

bool RepeatedBlocks::is_next(unsigned warp, SiteIndex site, const Memo& memo) const {
  if (next_ == end_) return false;
  const bool is_alike =
      next_->warp() == warp && next_->site() == site && next_->allocation == memo.allocation;
  return is_alike && (next_->learned() == memo.learned || has_pattern(next_->pattern, memo));
}

bool RepeatedBlocks::step(unsigned warp, SiteIndex site, const Memo& memo, std::uint64_t base) {
  if (state_ != State::following) return false;
  if (!is_next(warp, site, memo)) {
    Block* const before = block_;
    if (next_ != before->accesses.data()) return false;
    for (Block& block : blocks_) {
      if (!block.can_repeat) continue;
      follow(block);
      if (is_next(warp, site, memo)) break;
    }
    if (!is_next(warp, site, memo)) {
      follow(*before);
      return false;
    }
  }
  if (block_->is_rough) {
    block_->is_kept = false;
    replaces_rough_ = true;
    return false;
  }
  Access& access = *next_;
  Allocation& allocation = block_->allocations[access.place];
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
  auto& allocations = block_->allocations;
  const auto known = std::find_if(allocations.begin(), allocations.end(),
                                  [&](const Allocation& one) { return one.number == memo.allocation; });
  is_first = known == allocations.end();
  const auto place = static_cast<std::uint8_t>(known - allocations.begin());
  if (is_first) allocations.push_back({.number = memo.allocation, .first = ~std::uint64_t{0}});
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
  Allocation& allocation = block_->allocations[access.place];
  allocation.is_loaded |= !site.is_store;
  widen(allocation, memo, base);
  block_->accesses.push_back(access);
  const bool has_room =
      block_->accesses.size() < kMostAccesses && block_->allocations.size() < kMostAllocations;
  if (!has_room) leave();
  if (patterns_.size() < kMostPatterns) return;
  patterns_.clear();
  recent_ = {};
  for (Block& block : blocks_) block.is_kept = false;
  leave();
}

std::size_t RepeatedBlocks::begin_to_list() {
  assert(state_ == State::following);
  const Block& before = *block_;
  const Access* const first = before.accesses.data();
  block_ = &place_but(&before);
  block_->accesses.assign(first, static_cast<const Access*>(next_));
  for (Access& access : block_->accesses) {
    const Allocation& earlier = before.allocations[access.place];
    access.base += earlier.distance;
    auto& allocations = block_->allocations;
    if (access.is_first) allocations.push_back({earlier.number, earlier.is_loaded, ~std::uint64_t{0}});
    widen(allocations[access.place], patterns_[access.pattern], access.base);
  }
  next_ = end_ = nullptr;
  state_ = State::listing;
  return block_->accesses.size();
}

void RepeatedBlocks::leave() {
  assert(state_ != State::following);
  state_ = State::off;
}

std::uint8_t RepeatedBlocks::place_of(std::uint64_t address) const {
  const auto& allocations = block_->allocations;
  const auto holds = [&](const Allocation& one) { return one.first <= address && address < one.end; };
  const auto found = std::find_if(allocations.begin(), allocations.end(), holds);
  assert(found != allocations.end());
  return static_cast<std::uint8_t>(found - allocations.begin());
}

void RepeatedBlocks::keep(const BlockLog& log) {
  block_->runs.clear();
  for (const AccessRun& run : log.runs) {
    // put_parts() divides runs between the elements only.
    assert(!run.spacing.has_gaps() || run.threads.has_one_thread() || run.threads.shift <= run.spacing.shift);
    block_->runs.push_back({run, place_of(run.address)});
  }
  block_->sites = log.sites;
  block_->is_kept = true;
  block_->is_rough = is_rough_ && !replaces_rough_;
  // So that repeats() leaves the first access to step().
  if (block_->is_rough && !block_->accesses.empty()) block_->accesses.front().key &= kWithoutLearned;
  block_->used = ++uses_;
}

bool RepeatedBlocks::end_list() { return std::exchange(state_, State::off) == State::listing; }

void RepeatedBlocks::put_log(BlockLog& log) {
  misses_ = 0;
  pause_ = kFirstPause;
  block_->used = ++uses_;
  log.sites = block_->sites;
  log.runs.reserve(block_->runs.size());
  for (const KeptRun& kept : block_->runs) {
    AccessRun run = kept.run;
    run.address += block_->allocations[kept.place].distance;
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
