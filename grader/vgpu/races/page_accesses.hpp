// The last loads or the last stores of a page of global memory by the blocks of a launch, for
// global_races.hpp. Mostly, few runs cover what the blocks have accessed of a page: a row of a matrix, or the
// elements of some neighbouring blocks. While no run hides a part of another one, the runs are kept as they
// are; then they are put into a table of granules (last_accesses.hpp). Covered by
// tests/vgpu/page_accesses_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "vgpu/races/last_accesses.hpp"

namespace vgpu {

class PageAccesses {
 public:
  using Run = LastAccesses::Run;

  LastAccess at(std::size_t place) const {
    if (table_ != nullptr) return table_->at(place);
    const auto granule = static_cast<std::uint32_t>(place);
    for (const KeptRun& kept : runs_)
      if (kept.place.at <= granule && granule < kept.place.end())
        if (const auto index = kept.place.granule_at(granule)) return run_of(kept).at(kept.index + *index);
    return {};
  }

  void put(std::size_t granule, const LastAccess& access) { table().put(granule, access); }

  /// Records the run's granules, from `granule` on.
  void put(std::size_t granule, const Run& run) {
    if (table_ != nullptr || !keep(granule, run)) table().put(granule, run);
  }

  /// False: perhaps one of the granules was accessed.
  bool are_empty(const SpacedGranules& granules) const {
    if (table_ == nullptr)
      return std::all_of(runs_.begin(), runs_.end(),
                         [&](const KeptRun& kept) { return kept.place.are_apart_from(granules); });
    const std::uint32_t part = granules.spacing.has_gaps() ? granules.spacing.element() : granules.granules;
    for (std::uint32_t i = 0; i < granules.granules; i += part)
      if (!table_->is_empty(granules.place_of(i), part)) return false;
    return true;
  }

 private:
  /// As Run, but smaller: launches access many pages.
  struct KeptRun {
    SpacedGranules place;
    LastAccess first;
    std::uint32_t index = 0;
    ThreadSequence threads;
    bool has_sites = false;    ///< those in `sites_`
    bool has_changed = false;  ///< the flags in `changed_`
  };

  Run run_of(const KeptRun& kept) const {
    const SpacedGranules& place = kept.place;
    return {.first = kept.first,
            .sites = kept.has_sites ? sites_->data() + place.at : nullptr,
            .changed = kept.has_changed ? changed_->data() + place.at : nullptr,
            .threads = kept.threads,
            .spacing = place.spacing,
            .index = kept.index,
            .granules = place.granules};
  }

  /// Called while there is no table. False if the run has to be put into one. Drops runs that it hides
  /// completely in any case.
  bool keep(std::size_t granule, const Run& run) {
    const bool has_lists = run.sites != nullptr || run.changed != nullptr;
    if (has_lists && run.spacing.has_gaps()) return false;
    const SpacedGranules place{static_cast<std::uint32_t>(granule), static_cast<std::uint32_t>(run.granules),
                               run.spacing};
    for (std::size_t i = 0; i < runs_.size();) {
      if (place.contain(runs_[i].place)) {
        runs_[i] = runs_.back();
        runs_.pop_back();
      } else if (place.are_apart_from(runs_[i].place)) {
        ++i;
      } else {
        return false;
      }
    }
    // Many short runs would cost more than a table.
    const bool is_short = run.granules < LastAccesses::kPageGranules / kMostRuns;
    if (runs_.size() >= (is_short ? kFirstRuns : kMostRuns)) return false;
    if (runs_.capacity() == 0) runs_.reserve(kFirstRuns);
    runs_.push_back({place, run.first, run.index, run.threads, run.sites != nullptr, run.changed != nullptr});
    if (run.sites != nullptr) keep_list(sites_, granule, run.sites, run.granules);
    if (run.changed != nullptr) keep_list(changed_, granule, run.changed, run.granules);
    return true;
  }

  template <class Value>
  using ByGranule = std::unique_ptr<std::array<Value, LastAccesses::kPageGranules>>;
  template <class Value>
  static void keep_list(ByGranule<Value>& list, std::size_t granule, const Value* values, std::size_t count) {
    using List = std::array<Value, LastAccesses::kPageGranules>;
    if (list == nullptr) list = std::make_unique_for_overwrite<List>();
    std::copy_n(values, count, list->begin() + granule);
  }

  LastAccesses& table() {
    if (table_ == nullptr) [[unlikely]]
      make_table();
    return *table_;
  }
  [[gnu::noinline]] void make_table() {
    table_ = std::make_unique<LastAccesses>();
    for (const KeptRun& kept : runs_) table_->put(kept.place.at, run_of(kept));
    runs_ = {};
  }

  static constexpr std::size_t kFirstRuns = 4, kMostRuns = 12;

  std::vector<KeptRun> runs_;  ///< none has granules of another one
  ByGranule<SiteIndex> sites_;
  ByGranule<bool> changed_;
  std::unique_ptr<LastAccesses> table_;  ///< nullptr: the runs have all accesses
};

}  // namespace vgpu
