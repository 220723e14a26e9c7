// Finds races and reads of unwritten memory while a block runs; races/block_clocks.hpp and race_shadow.hpp
// describe the method. There is one checker per core. It is called before every access, in the order of the
// simulated block, and at every synchronisation. It changes neither results nor counters.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vgpu/check/column_stores.hpp"
#include "vgpu/check/lane_groups.hpp"
#include "vgpu/check/load_parts.hpp"
#include "vgpu/check/local_writes.hpp"
#include "vgpu/check/row_loads.hpp"
#include "vgpu/check/same_address.hpp"
#include "vgpu/check/unstored_memory.hpp"
#include "vgpu/check/unstored_rows.hpp"
#include "vgpu/check/value_flow.hpp"
#include "vgpu/facts/findings.hpp"
#include "vgpu/facts/shared_use.hpp"
#include "vgpu/races/block_clocks.hpp"
#include "vgpu/races/block_log.hpp"
#include "vgpu/races/deferred_loads.hpp"
#include "vgpu/races/equal_stores.hpp"
#include "vgpu/races/race_shadow.hpp"
#include "vgpu/races/read_map.hpp"
#include "vgpu/races/repeated_blocks.hpp"
#include "vgpu/races/repeated_phases.hpp"
#include "vgpu/shadow/global_shadow.hpp"
#include "vgpu/state/access.hpp"

namespace vgpu::exec {

inline constexpr std::uint32_t kWordBytes = 4;

class LaunchChecker;

/// Bytes of the widest access of a lane.
inline constexpr std::size_t kWidestAccess = 32;

class BlockChecker {
 public:
  BlockChecker(const LaunchContext& launch, const GlobalMemory& memory);

  /// `direct`: the block runs alone and reports its accesses to global memory immediately; nullptr: see
  /// take_log().
  void begin_block(Core& core, std::uint64_t index, LaunchChecker* direct);
  /// The warps in the mask have waited at a barrier and continue; `everybody`: these are all live warps.
  void barrier(std::uint32_t warps, bool everybody, std::uint32_t number);
  /// Two warps wait for the whole block at two instructions, `d` and `other_d`.
  void parted_barriers(const Warp& warp, const Decoded& d, const Warp& other, const Decoded& other_d);
  /// bar.arrive: the warp's accesses so far will be ordered before the threads that wait there.
  void arrive(const Warp& warp, std::uint32_t number);
  /// Lanes meet at a warp-wide instruction.
  void warp_sync(const Warp& warp, std::uint32_t lanes);
  void fence(const Warp& warp, bool is_device_wide);

  /// The active lanes are about to access memory.
  void access(Warp& warp, const Decoded& d, const AccessSite& site, Addresses addresses);
  static Addresses addresses_of(const Warp& warp, const Decoded& d, const AccessSite& site);
  /// The active lanes have loaded words or wider elements from shared memory at the addresses that the memo
  /// describes.
  void shared_load(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                   const Memo& memo) {
    if (repeats_access(warp, site, base, memo)) return;
    site.element_bytes == kWordBytes ? new_shared_load(warp, d, site, base, memo)
                                     : new_wide_load(warp, d, site, base, memo);
  }
  /// The active lanes have loaded from global memory at the addresses that the memo describes. False without
  /// any effect if access() has to record the load.
  bool global_load(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                   const Memo& memo) {
    return blocks_.is_off() ? note_global_load(warp, d, site, base, memo)
                            : list_load(warp, d, site, base, memo);
  }
  /// Notes a load from global memory at the addresses that the memo describes. False without any effect if
  /// the launch perhaps stores to the allocation.
  bool unstored_load(const Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                     const Memo& memo) {
    const bool is_of_warp =
        memo.mask == warp.mask && memo.form.space == ptx::Space::global && memo.form.bytes == site.bytes();
    if (!is_of_warp || unstored_ == nullptr || !unstored_->has(memo.allocation)) return false;
    note_unstored(d, site, base, memo);
    return true;
  }
  /// What unstored_load() has noted, of all blocks.
  const ReadMap& unstored_reads();
  /// Whether the block's accesses to global memory are compared with an earlier block's, or by later ones.
  bool compares_blocks() const { return !blocks_.is_off(); }
  /// Whether the access to global memory at the addresses that the memo describes is the next one of an
  /// earlier block that the present one repeats so far (repeated_blocks.hpp). It need not be noted then.
  bool repeats_in_block(const Warp& warp, const AccessSite& site, std::uint64_t base, const Memo& memo) {
    if (memo.mask != warp.mask) return false;
    return blocks_.repeats(warp.index, site.number, memo, base) ||
           (blocks_.is_following() && blocks_.step(warp.index, site.number, memo, base));
  }
  // The active lanes are about to store at the addresses that the memo describes. In shared memory, these are
  // all lanes, and each group of them is side by side. As global_load().
  bool shared_store(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                    const Memo& memo);
  bool global_store(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                    const Memo& memo) {
    return blocks_.is_off() ? note_global_store(warp, d, site, base, memo)
                            : list_store(warp, d, site, base, memo);
  }

  /// The active lanes are about to load from global memory through the cache for memory that nothing writes
  /// while the kernel runs. Reports memory that the block has written.
  void read_only_load(const Warp& warp, const AccessSite& site, const Addresses& addresses);
  bool has_stored_globally() const { return has_stored_globally_; }
  /// Whether the block can have stored to global memory from `first` to before `end`.
  bool may_have_stored(std::uint64_t first, std::uint64_t end);

  /// The warp fetches from a texture. Only memory that the host shares is noted, and all of the texture: what
  /// a fetch reads is compared with no write, but no data crosses between host and device unseen.
  void fetch(std::uint64_t start, std::uint64_t size_bytes);

  /// A lane has started a copy to shared memory; `global` is the site that reads its source.
  void begin_of_copy(const Warp& warp, const PendingCopy& copy, const AccessSite& global);
  /// The bytes of a copy that a lane started earlier are about to be written to shared memory.
  void end_of_copy(const Warp& warp, const PendingCopy& copy);
  /// Lanes are about to use the mbarrier at this offset.
  void barrier_object(const Warp& warp, const AccessSite& site, std::uint32_t lanes, std::uint64_t offset);
  /// publish: a warp arrives at an mbarrier. receive: a warp finds that all have arrived.
  void publish(const Warp& warp, std::uint64_t barrier);
  void receive(const Warp& warp, std::uint64_t barrier);

  /// Other blocks run before this one continues.
  void give_way();
  /// The block's accesses to global memory, for LaunchChecker; empty if they were already reported.
  BlockLog take_log();
  /// Those that the block stored and take_log() does not return; 0 from now on.
  std::uint64_t take_reported_granules() { return std::exchange(reported_granules_, 0); }
  /// The shared memory that the block used.
  SharedUse shared_use() { return used_.most(use_since_clear()); }
  /// The findings of the block, folded.
  std::vector<Fault> take_findings();

  /// The warp is about to begin: values of registers that nothing writes are followed from its start.
  void watch_unset_registers(const Warp& warp);
  /// A shuffle with these source lanes is about to run; `absent`: the lanes whose source does not take part.
  void shuffle(Warp& warp, const Decoded& d, const std::array<int, kWarpLanes>& source, std::uint32_t absent);
  /// For handlers of instructions that can read values that mean nothing: the next instruction, or nullptr
  /// if the loop that runs the warp has to be left for the one that follows values.
  static const Decoded* followed(Warp& warp, const Decoded* next) {
    Core& core = *warp.core;
    if (next == nullptr || core.follows_values || core.checker->labels_.empty()) return next;
    core.detour = next;
    return nullptr;
  }
  ValueFlow& values() { return values_; }

 private:
  struct LaneAccess {
    int lane = 0;
    std::uint64_t address = 0;  ///< an offset in shared memory
    ptx::Space space = ptx::Space::shared;
    const std::byte* memory = nullptr;  ///< contents before the access
    ShadowSpan shadow{};
    std::uint32_t granule_bytes = 4;
  };

  /// Reports the lanes whose address is outside of the array from which the code computes it.
  void look_for_overflow(const Warp& warp, const AccessSite& site, std::uint64_t base, const Memo& memo);
  void look_for_overflow(const Warp& warp, const AccessSite& site, const Addresses& offsets,
                         std::uint32_t lanes);
  void note_shared_load(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                        const Memo& memo);
  /// As global_load(), of a block that is neither compared with an earlier one nor listed for later ones.
  bool note_global_load(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                        const Memo& memo) {
    const LoadPlan& plan = plans_[d.memo];
    const bool is_row = plan.is_row() && plan.is_of(memo) && memo.mask == warp.mask &&
                        plan.has_written(memo.allocation, commits_);
    if (is_row && note_row(warp, site, base, plan.parts()[0].first, plan.parts()[0].lanes())) return true;
    return note_by_plan(warp, d, site, base, memo);
  }
  auto mark_unstored();
  void note_unstored(const Decoded& d, const AccessSite& site, std::uint64_t base, const Memo& memo);
  bool note_by_plan(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                    const Memo& memo);
  bool note_global_store(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                         const Memo& memo);
  // As global_load() and global_store(), of a block that does not repeat an earlier one further, or that is
  // listed for later ones.
  bool list_load(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base, const Memo& memo);
  bool list_store(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base, const Memo& memo);
  /// Must be called before global memory is accessed in another way, and before a clock changes.
  void leave_block() {
    if (!blocks_.is_off()) stop_repeating_block();
  }
  void stop_repeating_block();
  /// Records the accesses that were skipped. The block is listed from now on.
  void record_skipped_block();
  void record(const RepeatedBlocks::Access& access, const Memo& memo);
  bool can_repeat_loads(std::uint32_t allocation) const {
    return !finds_unwritten() || memory_.is_all_written(allocation);
  }
  /// Whether the access to shared memory has the addresses of the next access of an earlier phase that the
  /// present one repeats so far (repeated_phases.hpp). It need not be noted then.
  bool repeats_access(const Warp& warp, const AccessSite& site, std::uint64_t base, const Memo& memo) {
    const auto offset = static_cast<std::uint32_t>(base);
    return phases_.repeats(PhaseAccess::key_of(warp.index, site.bytes(), site.number, offset), memo.learned);
  }
  /// As repeats_access(), which has returned false, by comparing the addresses, which are right.
  bool repeats_phase(const Warp& warp, const AccessSite& site, std::uint64_t base, const Memo& memo) {
    if (phases_.is_off()) return false;
    return step_in_phase(phase_access(warp, site, base, memo.learned), {memo.mask, memo.delta32});
  }
  void new_shared_load(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                       const Memo& memo);
  /// Of elements wider than a word.
  void new_wide_load(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                     const Memo& memo);
  bool repeats_phase(const Warp& warp, const AccessSite& site, const Addresses& offsets, std::uint32_t lanes);
  PhaseAccess phase_access(const Warp& warp, const AccessSite& site, std::uint64_t base,
                           std::uint32_t learned) const {
    return {.warp = static_cast<std::uint8_t>(warp.index),
            .bytes = static_cast<std::uint8_t>(site.bytes()),
            .site = site.number,
            .base = static_cast<std::uint32_t>(base),
            .learned = learned,
            .is_store = site.is_store};
  }
  /// Whether the access is plain, or volatile and recorded in groups.
  bool can_be_in_phase(const Warp& warp, const AccessSite& site, const Addresses& offsets,
                       std::uint32_t lanes) const;
  bool step_in_phase(const PhaseAccess& access, const LaneOffsets& lanes);
  /// Whether the lanes that are about to meet do so in a phase.
  bool meets_in_phase(unsigned warp, std::uint32_t lanes, bool everybody);
  /// Must be called before a clock changes that is not all threads' at a barrier.
  void leave_phase() {
    if (phases_.has_begun()) stop_repeating();
  }
  /// Must be called before shared memory is accessed in another way.
  void stop_repeating() {
    phases_.leave();
    record_skipped();
  }
  void record_skipped();
  /// Records an access that is ordered before all later ones.
  void put_settled(const PhaseAccess& access);
  // Record an access of the present phase, which cannot be part of a race, or that of some lanes.
  void note_skipped(const PhaseAccess& access);
  bool defer_skipped(const PhaseAccess& access, const AccessSite& site, const Addresses& offsets);
  bool note_skipped_group(const PhaseAccess& access, const Addresses& offsets, unsigned first);
  void note_skipped_lanes(const PhaseAccess& access, const Addresses& offsets, std::uint32_t lanes);
  bool can_repeat_phases() const {
    return sites_.shared_granule == kWordBytes && copies_under_way_ == 0 && equal_stores_.empty();
  }
  /// As shared_load(), while the loads of shared memory wait (deferred_loads.hpp). False without any effect
  /// if the load cannot wait.
  bool defer(const Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
             const Memo& memo);
  // False without any effect if the load cannot wait.
  bool defer_wide(const Warp& warp, const AccessSite& site, std::uint64_t base, const Memo& memo);
  bool defer_wide(const DeferredLoad& load);
  /// Of the granules of a load of shared memory.
  struct ReadState {
    bool is_written = true;  ///< at or after a key
    bool is_settled = true;  ///< all stores are ordered before the load
  };
  /// Not settled: without any effect, the load cannot wait.
  ReadState defer(DeferredLoad load, const DeferredLoads::Granules& granules);
  /// Granules with a lower key of their writer are unwritten.
  std::int32_t oldest_write() const { return finds_unwritten() ? AccessKey::first_of(clocks_.start()) : 0; }
  /// Marks the granules as read; `kHasStores`: DeferredLoads::has_stores().
  template <bool kHasStores>
  ReadState read_shared(const DeferredLoad& load, const DeferredLoads::Granules& granules,
                        std::int32_t oldest);
  /// Whether no load that waits reads the granules that the lanes are about to store.
  bool stores_elsewhere(const AccessSite& site, const Addresses& offsets, std::uint32_t lanes);
  bool stores_elsewhere(const AccessSite& site, std::uint64_t base, const Memo& memo);
  /// Notes the loads that wait. Must be called before anything that a later access could race with, or that
  /// changes a clock.
  void note_deferred();
  /// `granules`: the words that the lanes load; `oldest`: the lowest key of a written one.
  void report_unwritten_lanes(const Warp& warp, const Decoded& d, const AccessSite& site,
                              const DeferredLoads::Granules& granules, std::int32_t oldest);

  /// The unfinished copies to one granule of shared memory.
  struct CopyUnderWay {
    unsigned copies = 0;
    SiteIndex site = 0;                ///< of the latest copy
    unsigned thread = 0;               ///< the thread that started the latest copy
    std::array<std::byte, 4> value{};  ///< what the latest copy writes; a granule is at most a word
  };

  /// Returns whether the lane's use of an mbarrier races with an earlier access.
  bool note_barrier(const Warp& warp, const AccessSite& site, int lane, std::uint64_t offset);
  Conflict note_copy(const Warp& warp, const PendingCopy& copy, const AccessSite& site, bool changes);
  /// Whether unfinished copies write the same bytes to the same place.
  bool repeats_copies(const PendingCopy& copy) const;
  void forget_copies();
  /// Reports an access to memory to which an unfinished copy writes.
  void look_for_copies(const Warp& warp, const AccessSite& site, int lane, std::uint64_t offset,
                       std::uint32_t bytes);
  void look_for_copies(const Warp& warp, const AccessSite& site, const Addresses& offsets,
                       std::uint32_t lanes);
  /// Whether an unfinished copy writes to one of the bytes [begin, end) of shared memory.
  bool is_copied_to(std::uint64_t begin, std::uint64_t end) const;
  void shared_access(Warp& warp, const Decoded& d, const AccessSite& site, const Addresses& offsets,
                     std::uint32_t lanes);
  void shared_atomics(Warp& warp, const Decoded& d, const AccessSite& site, const Addresses& offsets,
                      std::uint32_t lanes);
  /// Records accesses of kGroup lanes from `first` on, side by side or (plain loads) to one place. False if
  /// each lane has to be recorded, even if some already are.
  bool shared_group(Warp& warp, const Decoded& d, const AccessSite& site, const Addresses& offsets,
                    int first);
  bool note_shared_group_load(const ShadowSpan& at, const WarpLoad& load, const GroupLanes& lanes);
  /// Whether lanes can make the access, which is not plain, in groups.
  bool has_strong_groups(const Warp& warp, const AccessSite& site) const;
  /// Where the lane before accessed memory.
  struct RecentPlace {
    const Segment* segment = nullptr;
    GlobalShadow::Page* page = nullptr;
  };
  void global_access(Warp& warp, const Decoded& d, const AccessSite& site, const Addresses& addresses,
                     std::uint32_t lanes);
  /// Records the accesses of the lanes one by one.
  void global_lanes(Warp& warp, const Decoded& d, const AccessSite& site, const Addresses& addresses,
                    std::uint32_t lanes, RecentPlace& recent);
  void global_atomics(Warp& warp, const Decoded& d, const AccessSite& site, const Addresses& addresses,
                      std::uint32_t lanes);
  /// The page, whose records are complete.
  GlobalShadow::Page& global_page(std::uint64_t number) {
    GlobalShadow::Page& page = global_shadow_.page(number);
    if (page.state != GlobalShadow::Page::State::recorded) [[unlikely]]
      complete(page);
    return page;
  }
  void complete(GlobalShadow::Page& page);
  std::uint64_t global_granule(std::uint64_t address) const { return address >> global_shift_; }
  /// Finds the place of an access. False if its address is wrong or it reads unwritten memory.
  bool find_place(const AccessSite& site, std::uint64_t address, RecentPlace& recent);
  /// The keys of the access there, which are about to change.
  ShadowSpan keys_of_place(const AccessSite& site, std::uint64_t address, RecentPlace& recent);
  /// The common case of note() in global memory: as note_quietly(), for any number of granules. False if the
  /// access could race or read unwritten memory, or if its address is wrong.
  bool global_lane(const Warp& warp, const Decoded& d, const AccessSite& site, int lane,
                   std::uint64_t address, RecentPlace& recent);
  /// The same for an atomic operation.
  bool global_atomic(const ThreadAccess& access, const ShadowSpan& keys, unsigned granules) const;
  /// Any access of a lane. False if there is nothing to synchronise.
  bool note_in_global(Warp& warp, const Decoded& d, const AccessSite& site, const Addresses& addresses,
                      int lane);
  /// As shared_group(), of stores.
  bool global_stores(const Warp& warp, const Decoded& d, const AccessSite& site, const Addresses& addresses,
                     unsigned first);
  /// Adds stores of lanes side by side to the runs of their pages, in the order of the lanes. Returns the
  /// lanes whose stores have to be recorded in another way.
  std::uint32_t note_store_rows(const Warp& warp, const AccessSite& site, const Addresses& addresses,
                                std::uint32_t lanes);
  /// As shared_group(), of the lanes of a part, whose first one loads from the address.
  bool global_loads(const Warp& warp, const AccessSite& site, std::uint64_t address, const LoadPart& part);
  // Record accesses to granules from `at` on in a page; false without any effect on the granules from the
  // first one on that could be part of a race. `per_lane`: granules of an element; `begins_row`: lanes that
  // load alone perhaps begin to load along rows.
  bool note_part(GlobalShadow::Page& page, std::size_t at, const LoadPart& part, const WarpLoad& load,
                 unsigned per_lane, bool begins_row);
  bool note_loads_of_some(GlobalShadow::Page& page, std::size_t at, const LoadPart& part,
                          const WarpLoad& load, unsigned per_lane);
  /// Adds the loads of a row to the runs of a page. If other threads have loaded some of the granules, the
  /// row waits (Page::again): the block's log needs the first readers only. False: the page and the row have
  /// to be recorded.
  bool add_row(GlobalShadow::Page& page, const SpacedRun& row, std::int32_t unsettled);
  bool is_current(const SpacedRun& run, const SpacedRun::ThreadRange& threads) const;
  void note_again(GlobalShadow::Page& page, const SpacedRun& row);
  bool note_loads_in(GlobalShadow::Page& page, std::size_t at, const WarpLoad& load,
                     const LaneGroups& groups);
  bool note_load_in(GlobalShadow::Page& page, std::size_t at, const WarpLoad& load, const GroupLanes& lanes);
  template <class Granules>
  bool note_keys_in(GlobalShadow::Page& page, std::size_t at, const WarpLoad& load, const GroupLanes& lanes,
                    Granules granules);
  template <class Sites>
  bool note_uniform_load_in(GlobalShadow::Page& page, std::size_t at, unsigned granules, const WarpLoad& load,
                            unsigned first, unsigned last, Sites of);
  /// `changing`: a bit for each of kGroup lanes that changes the bytes; 0 for more lanes.
  bool note_stores_in_page(const Warp& warp, const AccessSite& site, std::uint64_t address, unsigned first,
                           unsigned changing, unsigned lanes = kGroup);
  bool note_shared_stores(const Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t offset,
                          const LaneGroups& groups, unsigned first);
  bool note_store_in(GlobalShadow::Page& page, std::size_t at, const ThreadAccess& access, unsigned shift,
                     unsigned changed);
  /// Whether two warps have loaded all that the plan's lanes load, so that the load adds nothing.
  bool are_known_loads(std::uint64_t base, const LoadPlan& plan, unsigned per_lane, std::int32_t unsettled);
  /// Whether the load waits (row_loads.hpp); `base` is the first active lane's address.
  bool wait_in_row(const Warp& warp, const AccessSite& site, std::uint64_t base, const LoadPlan& plan);
  void begin_loop(const Warp& warp, std::uint64_t base, const LoadPlan& plan);
  /// Whether the loop's loads can wait from this one on.
  bool begin_rows(RowLoads::Loop& loop, const Warp& warp, const AccessSite& site, std::uint64_t base,
                  const LoadPlan& plan);
  /// Records the accesses to global memory that wait. Must be called before a clock changes.
  void note_loads() {
    leave_block();
    note_rows();
    if (!loaded_again_.empty()) note_pages_again();
  }
  void note_pages_again();
  void note_rows() {
    if (rows_.are_waiting()) note_all_rows();
    if (columns_.are_waiting()) note_columns();
  }
  void note_all_rows();
  void note_rows(RowLoads::Loop& loop);
  /// Whether the store waits (column_stores.hpp); `base` is lane 0's address.
  bool wait_in_columns(const Warp& warp, const AccessSite& site, std::uint64_t base, const RowShape& shape);
  /// Whether the rows' pages are new.
  bool begin_columns(std::uint64_t base, const RowShape& shape);
  void note_columns();
  bool add_row(const RowLoads::Row& row, const RowLoads::Loop& loop, unsigned count);
  void note_waiting() {
    leave_phase();
    note_deferred();
    note_loads();
  }
  /// Returns the lanes whose accesses have to be recorded in another way (spaced_runs.hpp); `base` is the
  /// first lane's address.
  std::uint32_t note_spaced(const Warp& warp, const AccessSite& site, std::uint64_t base,
                            const SpacedLanes& lanes);
  /// Records stores of the lanes in their order, and returns those that have to be recorded in another way.
  std::uint32_t note_lane_stores(const Warp& warp, const AccessSite& site, std::uint64_t base,
                                 const Memo& memo);
  /// As global_store(), of lanes that are not side by side.
  bool spaced_store(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                    const Memo& memo);
  /// Records accesses of adjacent lanes, from `first` on, to adjacent granules in the common cases: they
  /// continue the latest run of their page, or two warps have loaded the granules. False without any effect
  /// otherwise; `address` is the first lane's.
  bool note_row(const Warp& warp, const AccessSite& site, std::uint64_t address, unsigned first,
                unsigned lanes);
  void note_plan(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                 const LoadPlan& plan);
  /// Whether the memory of a load is written; `bytes`: of a lane.
  bool is_written(std::uint64_t base, const LoadPlan& plan, std::uint32_t bytes) const;
  void read_now(const Warp& warp, const Segment& segment, std::uint64_t address, std::byte* to,
                std::size_t size) const;
  void synchronise_blocks(const Warp& warp, const AccessSite& site, std::uint64_t address);
  void fence_blocks(const Warp& warp);
  /// All threads of the block have met: what a fence of one warp covers depends on it.
  void meet_before_fences();
  /// Synchronisation::warp: unknown where more than barriers of the whole block orders warps.
  std::uint8_t ordered_warp(const Warp& warp) const;
  /// A device-wide fence or a barrier of these warps follows their reads of values that blocks publish.
  void acquire_from_blocks(std::uint32_t warps);
  /// Logs the synchronisation for each granule of `bytes`.
  void note_synchronisation(Synchronisation::Kind kind, std::uint64_t address, std::uint32_t bytes,
                            std::uint8_t warp = Synchronisation::kAnyWarp);
  /// Logs an earlier plain store that an atomic of the same block would hide from other blocks.
  void keep_store_before_atomic(std::uint64_t address, AccessKey before, SiteIndex site, std::int32_t now);
  /// Logs the accesses since the last cut.
  void log_accesses();
  /// As log_accesses(); later accesses are another cut's.
  void cut();
  void forget_block_scope(std::size_t first_run);
  void drain();
  /// The shared memory that the block used since the shadows were last cleared.
  SharedUse use_since_clear();
  /// Must be called after at most two ticks of the clocks: lanes that release one by one use many in one
  /// instruction. Afterwards the clocks are not exhausted.
  void start_over_if_exhausted() {
    if (clocks_.is_exhausted()) start_over();
  }
  /// Clears the shadows and restarts the clocks.
  void start_over();
  void constant_access(const Addresses& addresses, std::uint32_t lanes, std::uint32_t bytes);
  void note_constant(std::uint64_t start, std::uint64_t size_bytes);
  /// Whether the keys of stores need kChanged. The log does not if the launch's checker will compare a view
  /// with memory (GlobalRaces::Changes).
  bool needs_changes() const {
    return direct_ != nullptr || (!equal_stores_.empty() && !is_recording_block_);
  }
  /// False once the shadows were cleared in the middle of a block: they no longer show what the block has
  /// written.
  bool finds_unwritten() const { return launch_.checks.uninitialised && !has_forgotten_; }
  std::uint32_t unwritten_now(const LaneAccess& at, std::size_t granule) const;
  /// Fault::written_words of the shared array at the offset.
  std::vector<bool> written_words(std::uint64_t offset);
  /// Whether a byte of the 8 aligned bytes around a narrow access is written.
  bool is_part_of_written(const LaneAccess& at) const;
  bool note_quietly(const Warp& warp, const Decoded& d, const AccessSite& site, const LaneAccess& at);
  void note(Warp& warp, const Decoded& d, const AccessSite& site, const Addresses& addresses,
            const LaneAccess& at);
  /// What an access that is not plain orders; `space` is shared or global. False if that is known already.
  bool synchronise_at(const Warp& warp, const AccessSite& site, ptx::Space space, std::uint64_t address) {
    if (same_.adds_nothing(site, warp.index, address, clocks_.changes())) return false;
    synchronise_anew(warp, site, space, address);
    return true;
  }
  void synchronise_anew(const Warp& warp, const AccessSite& site, ptx::Space space, std::uint64_t address);
  void synchronise(const Warp& warp, const AccessSite& site, std::uint64_t address);
  /// As synchronise_at(), of kGroup lanes side by side (has_strong_groups()), the first one at the address.
  void synchronise_group(unsigned warp, const AccessSite& site, std::uint64_t first);

  void report_race(const Warp& warp, const AccessSite& site, const LaneAccess& at, const Conflict& conflict,
                   bool is_lane_conflict);
  void report_stale_read(const Warp& warp, const AccessSite& site, const LaneAccess& at, AccessKey store,
                         SiteIndex store_site);
  void report_unfinished_copy(const Warp& warp, const AccessSite& site, const LaneAccess& at,
                              const CopyUnderWay& copy);
  void report_overflow(const Warp& warp, const AccessSite& site, const LaneAccess& at, std::uint64_t lanes);
  /// `lanes`: the lanes of the warp that read unwritten memory; `at` is the first. `bytes`: the unwritten
  /// bytes of each lane's access, one bit per byte.
  void report_unwritten(const Warp& warp, const Decoded& d, const AccessSite& site, const LaneAccess& at,
                        std::uint32_t lanes, std::uint32_t bytes);
  void mark_unwritten(const Warp& warp, const Decoded& d, const AccessSite& site, std::uint32_t lanes,
                      std::uint32_t bytes, ValueFlow::Label label);
  /// The label of the values that the finding with this key is about.
  ValueFlow::Label label_of(std::uint64_t key, const ValueFlow::Copying& copying);
  /// Lanes access their local memory at these offsets.
  void local_access(const Warp& warp, const Decoded& d, const AccessSite& site, const Addresses& offsets,
                    std::uint32_t lanes);
  void report_unwritten_local(const Warp& warp, const Decoded& d, const AccessSite& site, int lane,
                              std::uint64_t bytes);
  /// Adds a finding that is reported only if a value with the key's label is used.
  template <class MakeFault>
  void add_pending(std::uint64_t key, MakeFault make_fault, std::uint64_t count);
  /// An instruction whose values are not followed stores at these addresses.
  void forget_copied_values(const Warp& warp, const AccessSite& site, const Addresses& addresses);
  Fault begin_finding(FaultKind kind, const Warp& warp, const AccessSite& site, const LaneAccess& at) const;
  ThreadAccess thread_access(const Warp& warp, const AccessSite& site, int lane) const {
    const bool is_plain = !site.is_atomic && !site.is_strong;
    return {warp.index * kWarpLanes + static_cast<unsigned>(lane), is_plain ? 0 : strong_flags(warp, site),
            site.is_store, site.number};
  }
  /// A volatile store after a fence sets a flag, as a release does: polling the flag is not a race.
  std::int32_t strong_flags(const Warp& warp, const AccessSite& site) const {
    if (!site.is_volatile) return AccessKey::kAtomic;
    const bool sets_flag = site.is_store && (clocks_.has_fenced(warp.index) ||
                                             (has_fenced_ && site.space != ptx::Space::shared));
    return sets_flag ? AccessKey::kAtomic : AccessKey::kVolatile;
  }

  const LaunchContext& launch_;
  const GlobalMemory& memory_;
  const CheckedSites& sites_;
  unsigned global_shift_;  ///< log2 of CheckedSites::global_granule
  BlockClocks clocks_;
  SameAddress same_;
  AtomicPlaces atomics_;
  Shadow shared_shadow_;
  DeferredLoads deferred_;
  const UnstoredMemory* unstored_ = nullptr;  ///< nullptr: none is known
  ReadMap unstored_reads_;                    ///< without those in `unstored_rows_`
  UnstoredRows unstored_rows_;
  RepeatedBlocks blocks_;
  bool is_recording_block_ = false;  ///< accesses that were skipped, none of which can be part of a race
  RepeatedPhases phases_;
  std::uint64_t phase_changes_ = 0;  ///< of the clocks, by barriers of the whole block and meetings in phases
  GlobalShadow global_shadow_;
  std::vector<GlobalShadow::Page*> loaded_again_;  ///< pages with rows in Page::again
  std::vector<LoadPlan> plans_;                    ///< by Decoded::memo
  BlockLog log_;
  std::uint64_t reported_granules_ = 0;  ///< that the block stored, in logs that drain() reported
  BlockClocks::Clock cut_ = 0;           ///< earlier accesses are logged
  Core* core_ = nullptr;
  std::uint64_t block_index_ = 0;
  LaunchChecker* direct_ = nullptr;
  std::vector<CopyUnderWay> copied_to_;     ///< by granule; empty before the first copy
  std::vector<std::uint64_t> copied_bits_;  ///< a bit per granule: whether a copy to it is unfinished
  std::size_t copies_under_way_ = 0;
  bool has_fenced_ = false;  ///< device-wide
  /// Published values that warps have read without an acquiring fence since then.
  struct Observed {
    unsigned warp = 0;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
  };
  std::vector<Observed> observed_;
  bool has_stored_globally_ = false;  ///< the block
  /// Counts the times at which memory can become written or unwritten: a block begins, or other blocks'
  /// stores are committed.
  std::uint32_t commits_ = 0;
  bool has_forgotten_ = false;
  SharedUse used_;  ///< before the shadows were cleared
  EqualStores equal_stores_;
  LocalWrites local_writes_;
  ValueFlow values_;
  std::unordered_map<std::uint64_t, ValueFlow::Label> labels_;  ///< by key of a finding
  /// Reported if a value is used: with the finding's key.
  std::vector<std::pair<std::uint64_t, Fault>> pending_;
  Findings findings_;
  // Large, and therefore last.
  RowLoads rows_;
  ColumnStores columns_;
};

}  // namespace vgpu::exec
