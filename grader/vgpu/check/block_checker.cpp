#include "vgpu/check/block_checker.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "vgpu/check/lane_groups.hpp"
#include "vgpu/check/launch_checker.hpp"
#include "vgpu/races/group_load.hpp"

namespace vgpu::exec {
namespace {

/// Barriers share the address space of publications with memory: barrier n has the address kBarrierPlaces +
/// n, which no memory access can have.
constexpr std::uint64_t kBarrierPlaces = std::uint64_t{1} << 63U;

unsigned warps_of(const LaunchContext& launch) {
  return static_cast<unsigned>((launch.block.count() + kWarpLanes - 1) / kWarpLanes);
}

/// The highest lane below `lane` that accesses the same address with the same instruction, -1 if there is
/// none. Lanes of one instruction count as ordered by their number.
int earlier_lane(const Warp& warp, const Addresses& addresses, int lane) {
  for (int other = lane - 1; other >= 0; --other) {
    if ((warp.mask >> other & 1U) != 0 && addresses[other] == addresses[lane]) return other;
  }
  return -1;
}

/// Whether kGroup lanes from `first` on access adjacent words.
bool are_side_by_side(const Memo& memo, unsigned first) {
  std::uint64_t elsewhere = 0;
  for (unsigned i = 1; i < kGroup; ++i)
    elsewhere |= memo.delta[first + i] ^ (memo.delta[first] + i * kWordBytes);
  return elsewhere == 0;
}

}  // namespace

Addresses BlockChecker::addresses_of(const Warp& warp, const Decoded& d, const AccessSite& site) {
  Addresses addresses;
  const std::byte* from = warp.file + d.a;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if (site.has_wide_address) {
      addresses[lane] = reinterpret_cast<const std::uint64_t*>(from)[lane] +
                        static_cast<std::uint64_t>(std::int64_t{d.offset});
    } else {
      addresses[lane] =
          reinterpret_cast<const std::uint32_t*>(from)[lane] + static_cast<std::uint32_t>(d.offset);
    }
  }
  return addresses;
}

BlockChecker::BlockChecker(const LaunchContext& launch, const GlobalMemory& memory)
    : launch_(launch),
      memory_(memory),
      sites_(launch.program->checked),
      global_shift_(static_cast<unsigned>(std::countr_zero(sites_.global_granule))),
      clocks_(warps_of(launch)),
      // A group of eight can begin at the last granule.
      shared_shadow_(launch.shared_bytes / sites_.shared_granule + kGroup),
      deferred_(launch.shared_bytes / sites_.shared_granule),
      unstored_(launch.launch_checker == nullptr ? nullptr : &launch.launch_checker->unstored()),
      blocks_(sites_.global_granule),
      phases_(launch.shared_bytes / sites_.shared_granule),
      plans_(launch.program->memo_count),
      local_writes_(launch.checks.uninitialised ? std::size_t{warps_of(launch)} * kWarpLanes : 0,
                    launch.local_bytes),
      values_(sites_) {
  // A key has room for the number of every thread, and a mask of warps has a bit for every warp.
  assert(launch.block.count() <= std::uint64_t{1} << AccessKey::kThreadBits);
}

void BlockChecker::begin_block(Core& core, std::uint64_t index, LaunchChecker* direct) {
  core_ = &core;
  block_index_ = index;
  direct_ = direct;
  clocks_.begin_block();
  if (!clocks_.has_room()) start_over();
  global_shadow_.begin_block();
  atomics_.begin_block();
  log_.clear();
  cut_ = clocks_.start();
  has_fenced_ = has_forgotten_ = has_stored_globally_ = false;
  ++commits_;
  observed_.clear();
  forget_copies();
  rows_.clear();
  columns_.clear();
  loaded_again_.clear();
  deferred_.restart(sites_.shared_granule == kWordBytes);
  deferred_.forget_reads();
  used_ = {};
  equal_stores_.begin_block();
  phases_.begin_block(can_repeat_phases());
  phase_changes_ = clocks_.changes();
  local_writes_.begin_block();
  values_.begin_block();
  labels_.clear();
  pending_.clear();
  findings_ = {};
  blocks_.begin_block(direct == nullptr,
                      [&](std::uint32_t allocation) { return can_repeat_loads(allocation); });
}

SharedUse BlockChecker::use_since_clear() {
  const std::uint32_t granules = launch_.shared_bytes / sites_.shared_granule;
  const std::uint32_t dynamic = (launch_.shared_bytes - launch_.dynamic_shared_bytes) / sites_.shared_granule;
  if (const auto used = phases_.used(0, dynamic))
    return {*used * sites_.shared_granule, *phases_.used(dynamic, granules) * sites_.shared_granule};
  record_skipped();
  const std::int32_t first = AccessKey::first_of(clocks_.start());
  const ShadowSpan all = shared_shadow_.span();
  const bool* waited = deferred_.were_read();
  const auto used_between = [&](std::uint32_t start, std::uint32_t end) {
    std::uint64_t count = 0;
    for (std::uint32_t i = start; i < end; ++i)
      count += all.write[i] >= first &&
               (waited[i] || all.read[i] >= first || (all.write[i] & AccessKey::kAtomic) != 0);
    return count * sites_.shared_granule;
  };
  return {used_between(0, dynamic), used_between(dynamic, granules)};
}

void BlockChecker::start_over() {
  leave_phase();
  used_ = shared_use();
  // Races between blocks with earlier accesses are still found, from the log; races within the block are not.
  log_accesses();
  shared_shadow_.clear();
  phases_.forget_block();
  deferred_.forget_reads();
  global_shadow_.clear();
  clocks_.restart();
  cut_ = clocks_.start();
  has_forgotten_ = true;
  assert(!clocks_.is_exhausted());
}

void BlockChecker::barrier(std::uint32_t warps, bool everybody, std::uint32_t number) {
  if (everybody) {
    phases_.begin_phase(can_repeat_phases(), deferred_.are_waiting());
    if (phases_.is_off()) record_skipped();
    deferred_.restart(copies_under_way_ == 0 && sites_.shared_granule == kWordBytes);
  } else {
    leave_phase();
    note_deferred();
  }
  note_loads();
  acquire_from_blocks(warps);
  if (everybody) meet_before_fences();
  clocks_.meet_at_barrier(warps, everybody);
  // Warps that only arrived (bar.arrive) have published their accesses at the barrier's place.
  for (std::uint32_t rest = warps; !everybody && rest != 0; rest &= rest - 1)
    clocks_.acquire(static_cast<unsigned>(std::countr_zero(rest)), kBarrierPlaces + number);
  start_over_if_exhausted();
  if (everybody) phase_changes_ = clocks_.changes();
}

void BlockChecker::arrive(const Warp& warp, std::uint32_t number) { publish(warp, kBarrierPlaces + number); }

void BlockChecker::warp_sync(const Warp& warp, std::uint32_t lanes) {
  const bool everybody = (warp.live & ~lanes) == 0;
  const bool is_in_phase = meets_in_phase(warp.index, lanes, everybody);
  if (!is_in_phase) leave_phase();
  note_deferred();
  note_loads();
  acquire_from_blocks(1U << warp.index);
  clocks_.meet_in_warp(warp.index, lanes, everybody);
  if (is_in_phase) phase_changes_ = clocks_.changes();
  start_over_if_exhausted();
}

void BlockChecker::fence(const Warp& warp, bool is_device_wide) {
  note_waiting();
  clocks_.fence(warp.index);
  if (is_device_wide) {
    acquire_from_blocks(1U << warp.index);
    fence_blocks(warp);
  }
  start_over_if_exhausted();
}

void BlockChecker::synchronise(const Warp& warp, const AccessSite& site, std::uint64_t address) {
  const bool publishes = site.is_store && (site.is_atomic || site.is_strong);
  if (!site.observes && !publishes) return;
  note_waiting();
  if (site.acquires)
    clocks_.acquire(warp.index, address);
  else if (site.observes)
    clocks_.observe(warp.index, address);
  if (!publishes) return;
  if (site.releases) clocks_.begin_release(warp.index);
  clocks_.release(warp.index, address, site.observes);
  start_over_if_exhausted();
}

void BlockChecker::synchronise_group(unsigned warp, const AccessSite& site, std::uint64_t first) {
  if (!site.observes && !site.is_store) return;
  note_deferred();
  note_loads();
  if (site.observes && clocks_.has_published_none()) return;
  for (unsigned lane = 0; lane < kGroup; ++lane) {
    const std::uint64_t address = first + lane * site.bytes();
    same_.forget(address);
    site.is_store ? clocks_.release(warp, address) : clocks_.observe(warp, address);
  }
}

void BlockChecker::publish(const Warp& warp, std::uint64_t barrier) {
  note_waiting();
  clocks_.begin_release(warp.index);
  clocks_.release(warp.index, barrier);
  start_over_if_exhausted();
}

void BlockChecker::receive(const Warp& warp, std::uint64_t barrier) {
  note_waiting();
  clocks_.acquire(warp.index, barrier);
}

void BlockChecker::access(Warp& warp, const Decoded& d, const AccessSite& site, Addresses addresses) {
  if (site.is_store && !site.stores_registers && values_.has_copies())
    forget_copied_values(warp, site, addresses);
  if (site.space == ptx::Space::shared) {
    if (!repeats_phase(warp, site, addresses, warp.mask)) shared_access(warp, d, site, addresses, warp.mask);
    return;
  }
  if (site.space == ptx::Space::constant) return constant_access(addresses, warp.mask, site.bytes());
  if (site.space == ptx::Space::local || site.space == ptx::Space::param)
    return local_access(warp, d, site, addresses, warp.mask);
  leave_block();
  std::uint32_t shared = 0, local = 0;
  if (site.space == ptx::Space::generic) {
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      shared |= (addresses[lane] - kSharedWindow < kWindowBytes ? 1U : 0U) << lane;
      local |= (addresses[lane] - kLocalWindow < kWindowBytes ? 1U : 0U) << lane;
    }
  }
  global_access(warp, d, site, addresses, warp.mask & ~(shared | local));
  if (local != 0) {
    Addresses offsets = addresses;
    for (std::uint64_t& offset : offsets) offset -= kLocalWindow;
    local_access(warp, d, site, offsets, local);
  }
  if (shared == 0) return;
  for (int lane = 0; lane < kWarpLanes; ++lane) addresses[lane] -= kSharedWindow;
  if (!repeats_phase(warp, site, addresses, shared)) shared_access(warp, d, site, addresses, shared);
}

/// Ignores wrong addresses: the instruction itself reports them.
void BlockChecker::local_access(const Warp& warp, const Decoded& d, const AccessSite& site,
                                const Addresses& offsets, std::uint32_t lanes) {
  if (local_writes_.is_off()) return;
  const std::uint32_t bytes = site.bytes();
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::size_t thread = warp.index * std::size_t{kWarpLanes} + static_cast<std::size_t>(lane);
    if (!local_writes_.contains(offsets[lane], bytes)) continue;
    if (site.is_store)
      local_writes_.write(thread, offsets[lane], bytes);
    else if (const std::uint64_t missing = local_writes_.unwritten(thread, offsets[lane], bytes))
      report_unwritten_local(warp, d, site, lane, missing);
  }
}

void BlockChecker::forget_copied_values(const Warp& warp, const AccessSite& site,
                                        const Addresses& addresses) {
  const std::uint64_t window = site.space == ptx::Space::shared ? kSharedWindow : 0;
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1)
    values_.forget_memory(window + addresses[std::countr_zero(rest)], site.bytes());
}

/// Ignores wrong addresses: the instruction itself reports them and stops the block.
void BlockChecker::shared_access(Warp& warp, const Decoded& d, const AccessSite& site,
                                 const Addresses& offsets, std::uint32_t lanes) {
  const std::uint32_t bytes = site.bytes();
  if (bytes > launch_.shared_bytes || bytes > kWidestAccess) return;
  const std::uint64_t room = launch_.shared_bytes - bytes;
  if (!stores_elsewhere(site, offsets, lanes)) note_deferred();
  if (copies_under_way_ != 0) look_for_copies(warp, site, offsets, lanes);
  if (site.array_end != 0) look_for_overflow(warp, site, offsets, lanes);
  if (site.is_atomic && site.is_store) return shared_atomics(warp, d, site, offsets, lanes);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (lane % kGroup == 0 && (rest >> lane & 0xFFU) == 0xFFU && shared_group(warp, d, site, offsets, lane)) {
      if (site.is_strong) synchronise_group(warp.index, site, offsets[lane]);
      // The step of the loop removes the bit of `lane` itself.
      rest &= ~(0xFEU << lane);
      continue;
    }
    const std::uint64_t offset = offsets[lane];
    if (offset > room || offset % bytes != 0) continue;
    const std::uint32_t granule = sites_.shared_granule;
    note(warp, d, site, offsets,
         {lane, offset, ptx::Space::shared, warp.core->shared + offset,
          shared_shadow_.span().from(offset / granule), granule});
    if (site.is_strong) synchronise_at(warp, site, ptx::Space::shared, offset);
  }
}

void BlockChecker::shared_atomics(Warp& warp, const Decoded& d, const AccessSite& site,
                                  const Addresses& offsets, std::uint32_t lanes) {
  const std::uint32_t bytes = site.bytes(), granule = sites_.shared_granule;
  const auto shift = static_cast<unsigned>(std::countr_zero(granule));
  const std::uint64_t room = launch_.shared_bytes - bytes;
  const ShadowSpan all = shared_shadow_.span();
  const auto first_unsettled = [&] { return AccessKey::first_of(clocks_.settled(warp.index) + 1); };
  std::int32_t unsettled = first_unsettled();
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t offset = offsets[lane];
    if (offset > room || !is_aligned(offset, bytes)) continue;
    const std::size_t at = offset >> shift;
    const bool is_represented = bytes == granule && all.read[at] < unsettled &&
                                all.other_read[at] < unsettled &&
                                represents_atomic(AccessKey(all.write[at]), warp.index, unsettled, clocks_);
    if (!is_represented)
      note(warp, d, site, offsets,
           {lane, offset, ptx::Space::shared, warp.core->shared + offset, all.from(at), granule});
    // To synchronise can change the clocks.
    if (synchronise_at(warp, site, ptx::Space::shared, offset)) unsettled = first_unsettled();
  }
}

void BlockChecker::look_for_overflow(const Warp& warp, const AccessSite& site, std::uint64_t base,
                                     const Memo& memo) {
  Addresses offsets{};
  for (int lane = 0; lane < kWarpLanes; ++lane)
    offsets[lane] = static_cast<std::uint32_t>(base + memo.delta[lane]);
  look_for_overflow(warp, site, offsets, warp.mask);
}

void BlockChecker::look_for_overflow(const Warp& warp, const AccessSite& site, const Addresses& offsets,
                                     std::uint32_t lanes) {
  const std::uint64_t room = launch_.shared_bytes - site.bytes();
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t offset = offsets[std::countr_zero(rest)];
    lowest = std::min(lowest, offset);
    highest = std::max(highest, offset);
  }
  if (site.stays_in_array(lowest, highest)) return;
  int first = -1;
  std::uint64_t count = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t offset = offsets[lane];
    if (offset > room || site.stays_in_array(offset, offset)) continue;
    if (first < 0) first = lane;
    ++count;
  }
  if (first >= 0) report_overflow(warp, site, {.lane = first, .address = offsets[first]}, count);
}

void BlockChecker::note_shared_load(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                                    const Memo& memo) {
  const std::uint32_t granule = sites_.shared_granule;
  const bool has_words = granule == kWordBytes;
  const bool in_groups = has_words && memo.mask == kFullMask && warp.mask == kFullMask &&
                         memo.pattern != Memo::Pattern::scattered;
  const ShadowSpan all = shared_shadow_.span();
  const auto one = [&](int lane) {
    const std::uint64_t offset = static_cast<std::uint32_t>(base + memo.delta[lane]);
    note(warp, d, site, {},
         {lane, offset, ptx::Space::shared, warp.core->shared + offset, all.from(offset / granule), granule});
  };
  if (copies_under_way_ != 0) {
    Addresses offsets{};
    for (int lane = 0; lane < kWarpLanes; ++lane)
      offsets[lane] = static_cast<std::uint32_t>(base + memo.delta[lane]);
    look_for_copies(warp, site, offsets, warp.mask);
  }
  const WarpLoad load = warp_load(thread_access(warp, site, 0), clocks_, finds_unwritten());
  if (!in_groups) {
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const bool is_group =
          has_words && lane % kGroup == 0 && (rest >> lane & 0xFFU) == 0xFFU && are_side_by_side(memo, lane);
      if (is_group &&
          note_first_group_load(all.from(static_cast<std::uint32_t>(base + memo.delta[lane]) / kWordBytes),
                                load, {lane, 0})) {
        // The step of the loop removes the bit of `lane` itself.
        rest &= ~(0xFEU << lane);
        continue;
      }
      one(static_cast<int>(lane));
    }
    return;
  }
  const bool side_by_side = memo.pattern == Memo::Pattern::groups_contiguous;
  if (side_by_side && is_known_load(all, group_starts(base, memo), load)) return;
  for (unsigned first = 0; first < kWarpLanes; first += kGroup) {
    // The previous group represents this one if it loads the same word.
    if (!side_by_side && first != 0 && memo.delta[first] == memo.delta[first - 1]) continue;
    const ShadowSpan at = all.from(static_cast<std::uint32_t>(base + memo.delta[first]) / kWordBytes);
    const bool done = side_by_side ? note_shared_group_load(at, load, {first, 0})
                                   : note_uniform_load(at, load, first, first + kGroup - 1, clocks_);
    if (done) continue;
    for (unsigned i = 0; i < kGroup; ++i) one(static_cast<int>(first + i));
  }
}

/// The bytes of a granule that the block itself has not written and that are unwritten in memory as well.
std::uint32_t BlockChecker::unwritten_now(const LaneAccess& at, std::size_t granule) const {
  if (at.shadow.write[granule] >= AccessKey::first_of(clocks_.start())) return 0;
  if (at.space == ptx::Space::shared) return (1U << at.granule_bytes) - 1;
  return memory_.unwritten_bytes(at.address + granule * at.granule_bytes, at.granule_bytes);
}

bool BlockChecker::is_part_of_written(const LaneAccess& at) const {
  constexpr std::uint64_t kAround = 8;
  LaneAccess all = at;
  all.address = at.address / kAround * kAround;
  const auto before = static_cast<std::ptrdiff_t>((at.address - all.address) / at.granule_bytes);
  all.shadow.write = at.shadow.write - before;
  for (std::size_t i = 0; i < kAround / at.granule_bytes; ++i)
    if (unwritten_now(all, i) != (1U << at.granule_bytes) - 1) return true;
  return false;
}

/// The common case of note(): an access to one granule that neither races nor reads unwritten memory, plain
/// or atomic in shared memory.
bool BlockChecker::note_quietly(const Warp& warp, const Decoded& d, const AccessSite& site,
                                const LaneAccess& at) {
  if (site.is_strong || site.elements != 1 || site.element_bytes != at.granule_bytes) return false;
  const ThreadAccess access = thread_access(warp, site, at.lane);
  if (site.is_atomic) {
    if (!site.is_store || at.space != ptx::Space::shared) return false;
    if (finds_unwritten() && !site.overwrites && unwritten_now(at, 0) != 0) return false;
    return note_quiet_atomic(at.shadow, access, clocks_);
  }
  if (site.is_store) {
    // An earlier lane that stores to the same place has left a key that is not settled.
    const bool changes = !are_same(at.memory, stored_element(warp, d, site, at.lane, 0), site.element_bytes);
    return note_quiet_store(at.shadow, access, clocks_, changes);
  }
  if (AccessKey(*at.shadow.write).clock() > clocks_.settled(warp.index)) return false;
  if (finds_unwritten() && unwritten_now(at, 0) != 0) return false;
  note_read(at.shadow, access, clocks_);
  return true;
}

/// Checks one lane's access, granule after granule; a lane reports at most one race.
void BlockChecker::note(Warp& warp, const Decoded& d, const AccessSite& site, const Addresses& addresses,
                        const LaneAccess& at) {
  if (note_quietly(warp, d, site, at)) return;
  // Whether stores of several threads race depends on their values as well.
  if (at.space == ptx::Space::shared && site.is_store) stop_repeating();
  ThreadAccess access = thread_access(warp, site, at.lane);
  if (!site.is_atomic && AccessKey(*at.shadow.write).has(AccessKey::kAtomic))
    access.has_seen_atomics = clocks_.has_seen_atomics(warp.index, at.address);
  const std::size_t granules = site.bytes() / at.granule_bytes;
  const bool reads = !site.is_store || (site.is_atomic && !site.overwrites);
  int same_place = -1;
  bool changes = true;
  if (site.is_store && !site.is_atomic) {
    // If an earlier lane stores to the same place, its value is the one before.
    same_place = earlier_lane(warp, addresses, at.lane);
    changes = false;
    for (std::size_t e = 0; e < site.elements; ++e) {
      const std::byte* before =
          same_place < 0 ? at.memory + e * site.element_bytes : stored_element(warp, d, site, same_place, e);
      changes |= !are_same(before, stored_element(warp, d, site, at.lane, e), site.element_bytes);
    }
  }
  std::uint32_t unwritten = 0;  // one bit per byte
  Conflict conflict;
  for (std::size_t i = 0; i < granules; ++i) {
    const ShadowSpan granule = at.shadow.from(i);
    if (reads && finds_unwritten()) unwritten |= unwritten_now(at, i) << i * at.granule_bytes;
    const AccessKey before(*granule.write);
    const SiteIndex before_site = *granule.write_site;
    access.reads_back = !site.is_store && !is_unwritten(granule, clocks_) &&
                        equal_stores_.has(granule, before, access.thread);
    const Conflict found =
        site.is_store ? note_store(granule, access, clocks_, changes) : note_load(granule, access, clocks_);
    if (site.is_store && (access.flags & AccessKey::kAtomic) != 0 && at.space == ptx::Space::global)
      keep_store_before_atomic(at.address + i * at.granule_bytes, before, before_site, *granule.write);
    const bool repeats = site.is_store && !site.is_atomic && !changes && *granule.write == before.bits();
    if (repeats && before.thread() != access.thread) equal_stores_.add(granule, before, access.thread);
    if (conflict.is_none() || (conflict.is_harmless && !found.is_none())) conflict = found;
  }
  if (at.space == ptx::Space::shared && (unwritten != 0 || !conflict.is_none())) stop_repeating();
  if (unwritten != 0) report_unwritten(warp, d, site, at, 1U << at.lane, unwritten);
  if (!conflict.is_none() && launch_.checks.races) {
    const bool is_lane_conflict =
        same_place >= 0 && conflict.site == site.number &&
        conflict.earlier.thread() == warp.index * kWarpLanes + static_cast<unsigned>(same_place);
    report_race(warp, site, at, conflict, is_lane_conflict);
  }
}

}  // namespace vgpu::exec
