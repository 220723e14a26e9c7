// BlockChecker: accesses to global memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/group_load.hpp"
#include "vgpu/check/key_vector.hpp"
#include "vgpu/check/launch_checker.hpp"

namespace vgpu::exec {
namespace {

constexpr std::size_t kLineGranules = GlobalShadow::kPageGranules / 64;  // a page has one bit per line

/// The flags of a key that are part of its run.
constexpr std::int32_t kRunFlags = AccessKey::kAtomic | AccessKey::kVolatile | AccessKey::kChanged;

/// The bits of the keys in a run: equal for all its granules, or counting up with the thread.
constexpr std::int32_t kRunBits = kRunFlags | ((1 << AccessKey::kThreadBits) - 1);

/// The granules from `first` on that form one run: accessed by the same instruction, by one thread or by
/// neighbouring threads, and not before `oldest`.
struct Stretch {
  std::size_t end = 0;
  bool by_neighbours = false;
};

Stretch stretch_from(const std::int32_t* keys, const SiteIndex* sites, std::size_t first, std::size_t end,
                     std::int32_t oldest) {
  const std::int32_t bits = keys[first] & kRunBits;
  const auto continues = [&](std::size_t at, std::int32_t expected) {
    return keys[at] >= oldest && (keys[at] & kRunBits) == expected && sites[at] == sites[first];
  };
  std::size_t next = first + 1;
  const bool by_neighbours = next < end && continues(next, bits + 1);
  const std::int32_t step = by_neighbours ? 1 : 0;
  std::int32_t expected = bits + step;
  const KeyVector steps = KeyVector{0, 1, 2, 3} * step;
  for (; next + kVectorKeys <= end; next += kVectorKeys, expected += step * std::int32_t{kVectorKeys}) {
    const KeyVector now = keys_at(keys + next);
    // The sites after `first` belong to the run so far or to these granules, so that one comparison of ranges
    // compares each with its predecessor's.
    const bool same_site = std::memcmp(sites + next, sites + first, kVectorKeys * sizeof *sites) == 0;
    if (!same_site || any((now < oldest) | ((now & kRunBits) != steps + expected))) break;
  }
  for (; next < end && continues(next, expected); expected += step) ++next;
  return {next, by_neighbours};
}

/// `at` if its granule is in one of the lines, else the first later granule that is.
std::size_t in_lines(std::uint64_t lines, std::size_t at) {
  const std::size_t line = at / kLineGranules;
  const std::uint64_t rest = at < GlobalShadow::kPageGranules ? lines >> line : 0;
  if (rest == 0) return GlobalShadow::kPageGranules;
  return (rest & 1U) != 0 ? at : (line + static_cast<std::size_t>(std::countr_zero(rest))) * kLineGranules;
}

}  // namespace

GlobalShadow::Page& GlobalShadow::page(std::uint64_t number) {
  // Consecutive accesses mostly use the same few pages.
  Page*& cached = recent_[number % recent_.size()];
  if (cached != nullptr && cached->number == number) return *cached;
  Page*& known = by_number_[number];
  if (known == nullptr) {
    if (used_ == pages_.size()) pages_.push_back(std::make_unique<Page>());
    known = pages_[used_++].get();
    // The shadow keeps the keys of earlier blocks, whose clocks are lower than any of this block.
    known->number = number;
    known->loaded = known->stored = 0;
  }
  return *(cached = known);
}

void GlobalShadow::begin_block() {
  // The pages stay allocated for later blocks.
  by_number_.clear();
  recent_.fill(nullptr);
  used_ = 0;
}

void GlobalShadow::clear() {
  for (const auto& page : pages_) page->shadow.clear();
}

ShadowSpan GlobalShadow::at(std::uint64_t granule, unsigned count, bool is_store) {
  Page& page = this->page(granule / kPageGranules);
  const std::size_t first = granule % kPageGranules;
  std::uint64_t& lines = is_store ? page.stored : page.loaded;
  lines |= std::uint64_t{1} << first / kLineGranules;
  lines |= std::uint64_t{1} << (first + count - 1) / kLineGranules;
  return page.shadow.span().from(first);
}

void GlobalShadow::log(BlockLog& log, BlockClocks::Clock since, std::uint32_t granule_bytes) {
  const std::int32_t oldest = AccessKey::first_of(since);
  for (std::size_t i = 0; i < used_; ++i) {
    for (const bool is_store : {false, true}) this->log(log, *pages_[i], is_store, oldest, granule_bytes);
    pages_[i]->loaded = pages_[i]->stored = 0;
  }
}

void GlobalShadow::log(BlockLog& log, Page& page, bool is_store, std::int32_t oldest,
                       std::uint32_t granule_bytes) {
  const ShadowSpan all = page.shadow.span();
  const std::int32_t* keys = is_store ? all.write : all.read;
  const SiteIndex* sites = is_store ? all.write_site : all.read_site;
  const std::uint64_t lines = is_store ? page.stored : page.loaded;
  const std::uint64_t start = page.number * kPageGranules;
  for (std::size_t at = in_lines(lines, 0); at < kPageGranules; at = in_lines(lines, at)) {
    if (keys[at] < oldest) {
      ++at;
      continue;
    }
    const auto [end, by_neighbours] = stretch_from(keys, sites, at, kPageGranules, oldest);
    const AccessKey key(keys[at]);
    log.runs.push_back({(start + at) * granule_bytes, static_cast<std::uint32_t>(end - at), sites[at],
                        static_cast<std::uint16_t>(key.thread()), key.bits() & kRunFlags, is_store,
                        by_neighbours});
    at = end;
  }
}

void BlockChecker::cut() {
  global_shadow_.log(log_, cut_, sites_.global_granule);
  clocks_.advance();
  cut_ = clocks_.latest();
  start_over_if_exhausted();
}

void BlockChecker::keep_store_before_atomic(std::uint64_t address, AccessKey before, SiteIndex site,
                                            std::int32_t now) {
  // The shadow has room for one store per granule, and the atomic has just replaced this one.
  const bool is_logged = before.clock() < cut_;
  if (is_logged || before.has(AccessKey::kAtomic) || !AccessKey(now).has(AccessKey::kAtomic)) return;
  log_.runs.push_back({address, 1, site, static_cast<std::uint16_t>(before.thread()),
                       before.bits() & kRunFlags, true, false});
}

void BlockChecker::note_synchronisation(Synchronisation::Kind kind, std::uint64_t address,
                                        std::uint32_t bytes) {
  for (std::uint32_t done = 0; done < bytes; done += sites_.global_granule)
    log_.synchronisations.push_back({kind, address + done, log_.runs.size()});
  if (direct_ != nullptr) drain();
}

/// A block that runs alone reports its log immediately: other blocks can run before it ends.
void BlockChecker::drain() {
  direct_->add(block_index_, log_, nullptr);
  log_.clear();
}

void BlockChecker::give_way() {
  cut();
  if (direct_ != nullptr) drain();
}

BlockLog BlockChecker::take_log() {
  cut();
  if (direct_ != nullptr) drain();
  return std::exchange(log_, {});
}

void BlockChecker::global_access(Warp& warp, const Decoded& d, const AccessSite& site,
                                 const Addresses& addresses, std::uint32_t lanes) {
  const std::uint32_t bytes = site.bytes();
  const std::uint32_t granule = sites_.global_granule;
  if (bytes > kWidestAccess) return;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (lane % kGroup == 0 && (rest >> lane & 0xFFU) == 0xFFU &&
        global_group(warp, d, site, addresses, lane)) {
      // The step of the loop removes the bit of `lane` itself.
      rest &= ~(0xFEU << lane);
      continue;
    }
    const std::uint64_t address = addresses[lane];
    const Segment* segment = memory_.holding(address, bytes);
    if (segment == nullptr || address % bytes != 0) continue;
    if (segment->purpose == Purpose::constant) {
      note_constant(address, bytes);
      continue;
    }
    std::array<std::byte, kWidestAccess> now{};
    if (site.is_store) read_now(warp, *segment, address, now.data(), bytes);
    note(warp, d, site, addresses,
         {lane, address, ptx::Space::global, now.data(),
          global_shadow_.at(address / granule, bytes / granule, site.is_store), granule});
    synchronise(warp, site, address);
    synchronise_blocks(site, address);
  }
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

/// Plain accesses of eight lanes to adjacent words or (loads) to one word.
bool BlockChecker::global_group(Warp& warp, const Decoded& d, const AccessSite& site,
                                const Addresses& addresses, int first) {
  if (site.is_atomic || site.is_strong || site.bytes() != kWordBytes || site.elements != 1) return false;
  if (sites_.global_granule != kWordBytes || (site.is_store && site.has_wide_value)) return false;
  const std::uint64_t address = addresses[first];
  // Zero if the lanes access one address (`apart`) or adjacent words (`uneven`).
  std::uint64_t apart = 0, uneven = 0;
  for (unsigned i = 0; i < kGroup; ++i) {
    apart |= addresses[first + i] ^ address;
    uneven |= addresses[first + i] ^ (address + i * kWordBytes);
  }
  if ((uneven != 0 && (apart != 0 || site.is_store)) || address % kWordBytes != 0) return false;
  const unsigned count = uneven == 0 ? kGroup : 1;
  const std::uint64_t granule = address / kWordBytes;
  // A group across two pages has no common span.
  if (granule % GlobalShadow::kPageGranules + count > GlobalShadow::kPageGranules) return false;
  const Segment* segment = memory_.holding(address, count * kWordBytes);
  if (segment == nullptr) return false;
  if (segment->purpose == Purpose::constant) {
    note_constant(address, count * kWordBytes);
    return true;
  }
  const ThreadAccess access = thread_access(warp, site, first);
  if (!site.is_store) {
    // The lane-by-lane check reports reads of unwritten memory.
    if (finds_unwritten() && !memory_.is_written(address, count * kWordBytes)) return false;
    const ShadowSpan at = global_shadow_.at(granule, count, false);
    const WarpLoad load = warp_load(thread_access(warp, site, 0), clocks_, false);
    const auto lane = static_cast<unsigned>(first);
    return count == kGroup ? note_group_load(at, load, lane, clocks_)
                           : note_uniform_load(at, load, lane, clocks_);
  }
  std::array<std::uint32_t, kGroup> now;
  read_now(warp, *segment, address, reinterpret_cast<std::byte*>(now.data()), sizeof now);
  const auto* then = reinterpret_cast<const std::uint32_t*>(warp.file + d.dst) + first;
  std::array<std::int32_t, kGroup> changed;
  for (unsigned i = 0; i < kGroup; ++i) changed[i] = now[i] != then[i] ? AccessKey::kChanged : 0;
  return note_group_store(global_shadow_.at(granule, kGroup, true), access, clocks_, changed.data());
}

/// Records the values that blocks publish to one another. Only blocks that run alone see writes of others.
void BlockChecker::synchronise_blocks(const AccessSite& site, std::uint64_t address) {
  using Kind = Synchronisation::Kind;
  if (site.acquires && direct_ != nullptr && direct_->has_news(block_index_, address)) {
    cut();
    note_synchronisation(Kind::acquire, address, site.bytes());
  }
  if (!site.is_store || !(site.is_atomic || site.is_strong)) return;
  if (site.releases) fence_blocks();
  if (has_fenced_) note_synchronisation(Kind::release, address, site.bytes());
}

void BlockChecker::fence_blocks() {
  has_fenced_ = true;
  cut();
  constexpr std::uint32_t kOnce = 1;
  note_synchronisation(Synchronisation::Kind::fence, 0, kOnce);
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
