// The shadow of the global memory that one block accesses, in pages that the next block reuses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "vgpu/races/block_log.hpp"
#include "vgpu/races/group_load.hpp"
#include "vgpu/races/race_shadow.hpp"
#include "vgpu/races/spaced_runs.hpp"
#include "vgpu/shadow/page_records.hpp"
#include "vgpu/state/block_table.hpp"

namespace vgpu {

class GlobalShadow {
 public:
  static constexpr std::size_t kPageGranules = 1024;

  static constexpr std::size_t kLineGranules = kPageGranules / 64;  // a page has one bit per line

  struct Page {
    enum class State : std::uint8_t {
      fresh,    ///< no accesses
      spaced,   ///< all accesses are in `spaced`
      waiting,  ///< some loads wait (row_loads.hpp)
      recorded
    };

    State state = State::fresh;
    State before_waiting = State::fresh;   ///< meaningful while loads wait
    std::uint64_t number = 0;              ///< granule / kPageGranules
    std::uint64_t loaded = 0, stored = 0;  ///< one bit per line: some granules were accessed
    bool has_stores = false;               ///< the block has stored to the page
    SpacedRuns spaced;                     ///< meaningful in this state
    /// Loads of rows that wait: `spaced` has all granules, some of which other threads had loaded before.
    std::vector<SpacedRun> again;
    std::uint64_t changes = 0;  ///< counts changes of keys, without those by atomic operations
    PageRecords<kPageGranules> records;
    KnownGranules<kPageGranules> known;
    std::unique_ptr<Shadow> shadow;  ///< nullptr: no group was ever split
    ShadowSpan all{};                ///< of `shadow`; meaningful for the groups that are split

    Page() = default;
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;
    void restart();
    /// Loads of the page begin to wait: what others know about its keys is then incomplete.
    void begin_to_wait() {
      if (state != State::waiting) before_waiting = state;
      state = State::waiting;
      ++changes;
    }
    void end_to_wait() {
      if (state == State::waiting) state = before_waiting;
    }
    /// False without any effect if the accesses have to be recorded. `sites`: one per granule if they
    /// have several.
    bool add_spaced(const SpacedRun& latest, const SiteIndex* sites = nullptr);
    /// As add_spaced(), of lanes side by side that continue the latest run.
    [[gnu::always_inline]] bool continue_row(std::uint32_t at, std::uint32_t granules, std::int32_t key,
                                             SiteIndex site, bool is_store) {
      if (state != State::spaced || !again.empty()) return false;
      const SpacedRun* run = spaced.continue_latest(at, granules, key, site, is_store);
      if (run != nullptr && run->has_sites) records.set_sites(at, granules, site);
      return run != nullptr;
    }
    /// Records the accesses in `spaced`.
    void record_spaced();
    /// Records accesses to granules that the block has not accessed before, in a page that is recorded.
    void record(const SpacedRun& run);
    /// The keys of `count` granules from `first` on.
    [[gnu::always_inline]] ShadowSpan keys(std::size_t first, unsigned count) {
      // The records are split only if there is a shadow.
      if (count > kGroup || !records.are_split(first, count)) split(first, count);
      return all.from(first);
    }
    /// Must be called before these keys or their record change.
    void mark(std::size_t first, unsigned count, bool is_store) {
      mark_atomic(first, count, is_store);
      ++changes;
    }
    /// As mark(), for atomic operations of one size.
    void mark_atomic(std::size_t first, unsigned count, bool is_store) {
      mark_line(first, is_store);
      mark_line(first + count - 1, is_store);
      known.forget();
    }
    /// As mark(), of the records of adjacent groups.
    void mark_records(std::size_t granule, std::size_t groups, bool is_store) {
      const std::size_t first = granule / kLineGranules;
      const std::size_t last = (granule + groups * kGroup - 1) / kLineGranules;
      (is_store ? stored : loaded) |= ~std::uint64_t{0} >> (63 - (last - first)) << first;
      has_stores |= is_store;
      if (is_store) known.forget();
    }
    void mark_record(std::size_t granule, bool is_store) {
      mark_line(granule, is_store);
      if (is_store) known.forget();
    }

   private:
    void mark_line(std::size_t granule, bool is_store) {
      (is_store ? stored : loaded) |= std::uint64_t{1} << granule / kLineGranules;
      has_stores |= is_store;
    }
    void split(std::size_t first, unsigned count);
    /// Keeps the sites of a run's latest accesses, after others of the run or alone.
    void set_sites(SpacedRun& run, const SpacedRun& latest, const SiteIndex* sites);
    /// Record the accesses of a run: of a group of adjacent granules, from the run's granule `index` on, or
    /// of one. False without any effect if the group has no record or the run's threads are those of none.
    bool record_group(const SpacedRun& run, std::uint32_t index);
    void record_granule(const SpacedRun& run, std::uint32_t index);
  };

  void begin_block();
  void clear();
  Page& page(std::uint64_t number) {
    Page* known = known_page(number);
    return known != nullptr ? *known : add_page(number);
  }
  /// nullptr: the block has not accessed the page.
  Page* known_page(std::uint64_t number) const {
    Page* const* known = by_number_.find(number);
    return known != nullptr ? *known : nullptr;
  }
  /// Appends the accesses from clock `since` on that are not logged yet. Stores get the flags in
  /// `store_flags`.
  void log(BlockLog& log, BlockClocks::Clock since, std::int32_t store_flags, std::uint32_t granule_bytes);

 private:
  Page& add_page(std::uint64_t number);

  std::vector<std::unique_ptr<Page>> pages_;  ///< the first `used_` of them in order of first access
  std::size_t used_ = 0;
  BlockTable<Page*> by_number_;
};

}  // namespace vgpu
