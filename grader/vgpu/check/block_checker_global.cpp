// BlockChecker: accesses to global memory.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/lane_groups.hpp"
#include "vgpu/check/launch_checker.hpp"

namespace vgpu::exec {
void BlockChecker::log_accesses() {
  // Which bytes change is found out later for stores in a view (GlobalRaces::Changes). Without the flags, one
  // run has stores that change bytes and others.
  const std::int32_t unknown = direct_ == nullptr ? AccessKey::kChanged : 0;
  global_shadow_.log(log_, cut_, AccessRun::kFlags & ~unknown, sites_.global_granule);
}

void BlockChecker::cut() {
  note_waiting();
  const std::size_t logged = log_.runs.size();
  log_accesses();
  if (sites_.has_block_scope) forget_block_scope(logged);
  clocks_.advance();
  cut_ = clocks_.latest();
  start_over_if_exhausted();
}

/// "Atomic operations are performed atomically with respect to" the threads of their scope only (PTX ISA,
/// "Memory Consistency Model", scope): for other blocks, these accesses are plain.
void BlockChecker::forget_block_scope(std::size_t first_run) {
  for (std::size_t i = first_run; i < log_.runs.size(); ++i)
    if (sites_.site(log_.runs[i].site).is_of_block) log_.runs[i].flags &= AccessKey::kChanged;
}

void BlockChecker::keep_store_before_atomic(std::uint64_t address, AccessKey before, SiteIndex site,
                                            std::int32_t now) {
  // The shadow has room for one store per granule, and the atomic has just replaced this one.
  const bool is_logged = before.clock() < cut_;
  if (is_logged || before.has(AccessKey::kAtomic) || !AccessKey(now).has(AccessKey::kAtomic)) return;
  log_.runs.push_back({.address = address,
                       .granules = 1,
                       .site = site,
                       .thread = static_cast<std::uint16_t>(before.thread()),
                       .flags = before.bits() & AccessRun::kFlags,
                       .is_store = true});
}

void BlockChecker::note_synchronisation(Synchronisation::Kind kind, std::uint64_t address,
                                        std::uint32_t bytes, std::uint8_t warp) {
  for (std::uint32_t done = 0; done < bytes; done += sites_.global_granule)
    log_.synchronisations.push_back({kind, warp, address + done, log_.runs.size()});
  if (direct_ != nullptr) drain();
}

/// A block that runs alone reports its log immediately: other blocks can run before it ends.
void BlockChecker::drain() {
  direct_->add(block_index_, log_, nullptr);
  reported_granules_ += log_.stored_granules();
  log_.clear();
  ++commits_;
}

void BlockChecker::give_way() {
  cut();
  if (values_.has_copies()) log_.unwritten = values_.take_copies();
  if (direct_ != nullptr) drain();
}

BlockLog BlockChecker::take_log() {
  phases_.end_block();
  deferred_.restart(false);
  if (blocks_.has_repeated()) {
    blocks_.put_log(log_);
    return std::exchange(log_, {});
  }
  if (!equal_stores_.empty() || blocks_.is_following()) leave_block();
  const bool is_listed = blocks_.end_list();
  // What the block has loaded again changes nothing in its log.
  for (GlobalShadow::Page* page : loaded_again_) page->again.clear();
  loaded_again_.clear();
  cut();
  if (values_.has_copies()) log_.unwritten = values_.take_copies();
  if (direct_ != nullptr) drain();
  BlockLog log = std::exchange(log_, {});
  if (is_listed) blocks_.keep(log);
  // Mostly, the next block has as many runs; one more is made and joined to the one before.
  log_.runs.reserve(log.runs.size() + 1);
  log_.sites.reserve(log.sites.size());
  return log;
}

[[gnu::always_inline]] inline bool BlockChecker::find_place(const AccessSite& site, std::uint64_t address,
                                                            RecentPlace& recent) {
  const std::uint32_t bytes = site.bytes();
  const bool is_in_recent = recent.segment != nullptr && address >= recent.segment->start &&
                            address + bytes <= recent.segment->end();
  if (!is_in_recent) recent.segment = memory_.holding(address, bytes);
  if (recent.segment == nullptr || recent.segment->purpose == Purpose::constant ||
      !is_aligned(address, bytes))
    return false;
  const bool reads = !site.is_store || (site.is_atomic && !site.overwrites);
  if (reads && finds_unwritten() && !recent.segment->written.are_all() && !memory_.is_written(address, bytes))
    return false;
  const std::uint64_t number = global_granule(address) / GlobalShadow::kPageGranules;
  if (recent.page == nullptr || recent.page->number != number) recent.page = &global_page(number);
  return true;
}

[[gnu::always_inline]] inline ShadowSpan BlockChecker::keys_of_place(const AccessSite& site,
                                                                     std::uint64_t address,
                                                                     RecentPlace& recent) {
  const std::uint32_t granules = site.bytes() >> global_shift_;
  const std::size_t at = global_granule(address) % GlobalShadow::kPageGranules;
  site.is_atomic ? recent.page->mark_atomic(at, granules, site.is_store)
                 : recent.page->mark(at, granules, site.is_store);
  return recent.page->keys(at, granules);
}

void BlockChecker::global_access(Warp& warp, const Decoded& d, const AccessSite& site,
                                 const Addresses& addresses, std::uint32_t lanes) {
  if (site.bytes() > kWidestAccess) return;
  has_stored_globally_ |= site.is_store;
  if (site.is_atomic && site.is_store) return global_atomics(warp, d, site, addresses, lanes);
  const bool is_plain = !site.is_atomic && !site.is_strong;
  if (is_plain && site.is_store) lanes = note_store_rows(warp, site, addresses, lanes);
  RecentPlace recent;
  for (unsigned first = 0; first < kWarpLanes; first += kGroup) {
    constexpr std::uint32_t kAll = (1U << kGroup) - 1;
    std::uint32_t rest = lanes >> first & kAll;
    if (is_plain && site.is_store && rest == kAll && global_stores(warp, d, site, addresses, first)) continue;
    while (is_plain && !site.is_store && rest != 0) {
      // In the order of the lanes, as note_plan(), since the keys of readers depend on it.
      const LoadPart part = LoadPart::next(addresses, site.bytes(), first, rest);
      const std::uint32_t later = rest & ~std::uint32_t{0} << (part.last - first + 1);
      if (!global_loads(warp, site, addresses[part.first], part))
        global_lanes(warp, d, site, addresses, (rest ^ later) << first, recent);
      rest = later;
    }
    global_lanes(warp, d, site, addresses, rest << first, recent);
  }
}

void BlockChecker::global_lanes(Warp& warp, const Decoded& d, const AccessSite& site,
                                const Addresses& addresses, std::uint32_t lanes, RecentPlace& recent) {
  const bool is_plain = !site.is_atomic && !site.is_strong;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (is_plain && global_lane(warp, d, site, lane, addresses[lane], recent)) continue;
    if (note_in_global(warp, d, site, addresses, lane))
      synchronise_at(warp, site, ptx::Space::global, addresses[lane]);
  }
}

void BlockChecker::global_atomics(Warp& warp, const Decoded& d, const AccessSite& site,
                                  const Addresses& addresses, std::uint32_t lanes) {
  const unsigned granules = site.bytes() >> global_shift_;
  RecentPlace recent;
  ThreadAccess access = thread_access(warp, site, 0);
  const unsigned first = access.thread;
  atomics_.begin_access(granules);
  // A lane's operation at this address has added nothing, nor does another thread's except the writer's.
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t repeated = kNone;
  unsigned writer = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = addresses[lane];
    access.thread = first + static_cast<unsigned>(lane);
    if (repeated == address && access.thread != writer) continue;
    // To synchronise can change the clocks.
    const std::int32_t unsettled = AccessKey::first_of(clocks_.settled(warp.index) + 1);
    bool is_noted = false, is_same = false;
    if (const AtomicPlaces::Place* place = atomics_.find(address, unsettled)) {
      const ShadowSpan keys = place->page->all.from(place->first);
      const std::int32_t before = *keys.write;
      is_noted = represents_atomic(AccessKey(before), warp.index, unsettled, clocks_) ||
                 note_next_atomic(keys, access, clocks_, granules);
      is_same = *keys.write == before;
      if (!is_same) place->page->mark_atomic(place->first, granules, true);
      writer = AccessKey(before).thread();
    } else if (find_place(site, address, recent)) {
      is_noted = global_atomic(access, keys_of_place(site, address, recent), granules);
      const std::size_t at = global_granule(address) % GlobalShadow::kPageGranules;
      if (is_noted) atomics_.keep(address, *recent.page, at, unsettled);
    }
    repeated = kNone;
    if (!is_noted && !note_in_global(warp, d, site, addresses, lane)) continue;
    const bool synchronises = synchronise_at(warp, site, ptx::Space::global, address);
    const bool is_every_lane_alike = !clocks_.has_lane_clocks(warp.index);
    if (is_same && !synchronises && writer != access.thread && is_every_lane_alike) repeated = address;
  }
}

bool BlockChecker::note_in_global(Warp& warp, const Decoded& d, const AccessSite& site,
                                  const Addresses& addresses, int lane) {
  const std::uint32_t bytes = site.bytes();
  const std::uint64_t address = addresses[lane];
  const Segment* segment = memory_.holding(address, bytes);
  if (segment == nullptr || address % bytes != 0) return false;
  if (segment->purpose == Purpose::constant) {
    note_constant(address, bytes);
    return false;
  }
  GlobalShadow::Page& page = global_page(global_granule(address) / GlobalShadow::kPageGranules);
  const std::size_t at = global_granule(address) % GlobalShadow::kPageGranules;
  const std::uint32_t granules = bytes >> global_shift_;
  page.mark(at, granules, site.is_store);
  std::array<std::byte, kWidestAccess> now{};
  if (site.is_store) read_now(warp, *segment, address, now.data(), bytes);
  note(warp, d, site, addresses,
       {lane, address, ptx::Space::global, now.data(), page.keys(at, granules), sites_.global_granule});
  return site.is_atomic || site.is_strong;
}

void BlockChecker::synchronise_anew(const Warp& warp, const AccessSite& site, ptx::Space space,
                                    std::uint64_t address) {
  synchronise(warp, site, address);
  if (space == ptx::Space::global) synchronise_blocks(warp, site, address);
  same_.synchronised(address, clocks_.changes());
}

bool BlockChecker::global_lane(const Warp& warp, const Decoded& d, const AccessSite& site, int lane,
                               std::uint64_t address, RecentPlace& recent) {
  if (!find_place(site, address, recent)) return false;
  const std::uint32_t bytes = site.bytes(), granules = bytes >> global_shift_;
  const ThreadAccess access{warp.index * kWarpLanes + static_cast<unsigned>(lane), 0, site.is_store,
                            site.number};
  bool changes = false;
  if (site.is_store && needs_changes()) {
    std::array<std::byte, kWidestAccess> now;
    read_now(warp, *recent.segment, address, now.data(), bytes);
    for (std::size_t e = 0; e < site.elements; ++e)
      changes |=
          !are_same(&now[e * site.element_bytes], stored_element(warp, d, site, lane, e), site.element_bytes);
  }
  if (site.is_store && granules == 1) {
    const std::size_t at = global_granule(address) % GlobalShadow::kPageGranules;
    const std::int32_t key = AccessKey(clocks_.now(warp.index), access.thread, access.flags).bits();
    const std::int32_t unsettled = AccessKey::first_of(clocks_.settled(warp.index) + 1);
    if (recent.page->records.note_lane_store(at, key, unsettled, site.number, changes)) {
      recent.page->mark_record(at, true);
      return true;
    }
  }
  const ShadowSpan keys = keys_of_place(site, address, recent);
  for (std::uint32_t i = 0; i < granules; ++i)
    if (!(site.is_store ? note_quiet_store(keys.from(i), access, clocks_, changes)
                        : note_quiet_load(keys.from(i), access, clocks_)))
      return false;
  return true;
}

bool BlockChecker::global_atomic(const ThreadAccess& access, const ShadowSpan& keys,
                                 unsigned granules) const {
  for (unsigned i = 0; i < granules; ++i) {
    // See keep_store_before_atomic().
    const AccessKey before(keys.write[i]);
    if (before.clock() >= cut_ && !before.has(AccessKey::kAtomic)) return false;
  }
  return note_quiet_atomic(keys, access, clocks_, granules);
}

/// "Read-only for the duration of the kernel" (PTX ISA, "ld.global.nc"): such a load can return what the
/// memory held before the store, whatever barrier is in between. A load that precedes the store returns the
/// old value in any case.
void BlockChecker::read_only_load(const Warp& warp, const AccessSite& site, const Addresses& addresses) {
  if (!has_stored_globally_ || !launch_.checks.races) return;
  if (blocks_.is_following()) record_skipped_block();
  const std::uint32_t granule = sites_.global_granule, granules = site.bytes() >> global_shift_;
  const std::int32_t oldest = AccessKey::first_of(clocks_.start());
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t clean_page = kNone;  // the block has not stored to this page,
  std::uint64_t clean = kNone;       // nor to this group of granules
  std::uint64_t latest = kNone;      // often, all lanes read one address
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = addresses[lane], first = global_granule(address);
    // An aligned access is in one page; others are reported in any case.
    const std::uint64_t number = first / GlobalShadow::kPageGranules;
    if (number == clean_page) continue;
    if (first / kGroup == clean && (first + granules - 1) / kGroup == clean) continue;
    if (!is_aligned(address, site.bytes()) || std::exchange(latest, address) == address) continue;
    if (!global_shadow_.page(number).has_stores) {
      clean_page = number;
      continue;
    }
    GlobalShadow::Page& page = global_page(number);
    const std::size_t at_page = first % GlobalShadow::kPageGranules;
    if (!page.records.may_be_stored(at_page, granules)) {
      clean = first / kGroup;
      continue;
    }
    if (memory_.holding(address, site.bytes()) == nullptr) continue;
    const ShadowSpan at = page.keys(at_page, granules);
    for (std::uint32_t i = 0; i < granules; ++i) {
      if (at.write[i] < oldest) continue;
      report_stale_read(warp, site, {lane, address, ptx::Space::global, nullptr, at, granule},
                        AccessKey(at.write[i]), at.write_site[i]);
      break;
    }
  }
}

bool BlockChecker::may_have_stored(std::uint64_t first, std::uint64_t end) {
  if (blocks_.is_following()) record_skipped_block();
  constexpr std::uint64_t kMostPages = 8;
  const std::uint64_t last_page = global_granule(end - 1) / GlobalShadow::kPageGranules;
  const std::uint64_t first_page = global_granule(first) / GlobalShadow::kPageGranules;
  if (last_page - first_page >= kMostPages) return true;
  for (std::uint64_t number = first_page; number <= last_page; ++number) {
    const GlobalShadow::Page* page = global_shadow_.known_page(number);
    if (page != nullptr && page->has_stores) return true;
  }
  return false;
}

void BlockChecker::read_now(const Warp& warp, const Segment& segment, std::uint64_t address, std::byte* to,
                            std::size_t size) const {
  const std::byte* memory = segment.data.get() + (address - segment.start);
  const BlockView* view = warp.core->view;
  if (view != nullptr && view->touches(static_cast<std::uint32_t>(segment_number(address)))) {
    view->load(address, memory, to, size);
  } else {
    std::memcpy(to, memory, size);
  }
}

/// Records the values that blocks publish to one another. Only blocks that run alone see writes of others.
void BlockChecker::synchronise_blocks(const Warp& warp, const AccessSite& site, std::uint64_t address) {
  using Kind = Synchronisation::Kind;
  if (site.is_of_block) return;
  if (site.observes && direct_ != nullptr && direct_->has_news(block_index_, address)) {
    cut();
    note_synchronisation(Kind::observe, address, site.bytes());
    if (site.acquires)
      note_synchronisation(Kind::acquire, address, site.bytes());
    else
      observed_.push_back({warp.index, address, site.bytes()});
  }
  if (!site.is_store || !(site.is_atomic || site.is_strong)) return;
  if (site.releases) fence_blocks(warp);
  if (has_fenced_) note_synchronisation(Kind::release, address, site.bytes(), ordered_warp(warp));
}

void BlockChecker::acquire_from_blocks(std::uint32_t warps) {
  const auto is_of_warps = [&](const Observed& one) { return (warps >> one.warp & 1U) != 0; };
  if (std::none_of(observed_.begin(), observed_.end(), is_of_warps)) return;
  cut();
  for (const Observed& one : observed_)
    if (is_of_warps(one)) note_synchronisation(Synchronisation::Kind::acquire, one.address, one.bytes);
  std::erase_if(observed_, is_of_warps);
}

void BlockChecker::fence_blocks(const Warp& warp) {
  has_fenced_ = true;
  cut();
  constexpr std::uint32_t kOnce = 1;
  note_synchronisation(Synchronisation::Kind::fence, 0, kOnce, ordered_warp(warp));
}

void BlockChecker::meet_before_fences() {
  if (direct_ == nullptr || !sites_.has_device_fence) return;
  cut();
  constexpr std::uint32_t kOnce = 1;
  note_synchronisation(Synchronisation::Kind::meet, 0, kOnce);
}

std::uint8_t BlockChecker::ordered_warp(const Warp& warp) const {
  // Blocks that do not run alone have no cuts at barriers.
  const bool is_known = direct_ != nullptr && clocks_.has_one_floor() && !has_forgotten_;
  return is_known ? static_cast<std::uint8_t>(warp.index) : Synchronisation::kAnyWarp;
}

void BlockChecker::constant_access(const Addresses& addresses, std::uint32_t lanes, std::uint32_t bytes) {
  std::uint64_t latest = 0;  // mostly, all lanes read one address
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses[std::countr_zero(rest)];
    if (address != latest) note_constant(address, bytes);
    latest = address;
  }
}

/// Kernels only read constant memory, but copies to it can race with them. Ranges beyond the limit are lost.
void BlockChecker::note_constant(std::uint64_t start, std::uint64_t size_bytes) {
  constexpr std::size_t kMaxRanges = 32;
  for (FetchedMemory& known : log_.fetched) {
    const std::uint64_t known_end = known.start + known.size_bytes;
    if (start > known_end || start + size_bytes < known.start) continue;
    const std::uint64_t end = std::max(known_end, start + size_bytes);
    known.start = std::min(known.start, start);
    known.size_bytes = end - known.start;
    return;
  }
  if (log_.fetched.size() < kMaxRanges) log_.fetched.push_back({start, size_bytes});
}

void BlockChecker::fetch(std::uint64_t start, std::uint64_t size_bytes) {
  const Segment* segment = memory_.holding(start, size_bytes);
  if (segment == nullptr || segment->purpose != Purpose::shared_host) return;
  const FetchedMemory fetched{start, size_bytes};
  auto& known = log_.fetched;
  if (std::find(known.begin(), known.end(), fetched) == known.end()) known.push_back(fetched);
}

}  // namespace vgpu::exec
