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

#include "vgpu/races/last_accesses.hpp"

namespace vgpu {

class PageAccesses {
 public:
  using Run = LastAccesses::Run;

  LastAccess at(std::size_t granule) const {
    if (table_ != nullptr) return table_->at(granule);
    for (std::size_t i = 0; i < count_; ++i)
      if (runs_[i].at <= granule && granule < runs_[i].end()) return runs_[i].access_at(granule);
    return {};
  }

  void put(std::size_t granule, const LastAccess& access) { table().put(granule, access); }

  /// Records the run's granules, from `granule` on.
  void put(std::size_t granule, const Run& run) {
    if (!keep(granule, run)) table().put(granule, run);
  }

  bool is_empty(std::size_t first, std::size_t count) const {
    if (table_ != nullptr) return table_->is_empty(first, count);
    return std::none_of(runs_.begin(), runs_.begin() + count_,
                        [&](const KeptRun& run) { return run.at < first + count && first < run.end(); });
  }

 private:
  struct KeptRun {
    std::size_t at = 0;  ///< the first granule's place
    Run run;             ///< without gaps; its sites are in `sites_`

    std::size_t end() const { return at + run.granules; }
    LastAccess access_at(std::size_t granule) const {
      return run.at(run.index + static_cast<std::uint32_t>(granule - at));
    }
  };
  using Sites = std::array<SiteIndex, LastAccesses::kPageGranules>;

  /// False if the run has to be put into the table. Drops runs that it hides completely in any case.
  bool keep(std::size_t granule, const Run& run) {
    if (table_ != nullptr || run.changed != nullptr || run.spacing.has_gaps()) return false;
    const std::size_t end = granule + run.granules;
    for (std::size_t i = 0; i < count_;) {
      const KeptRun& before = runs_[i];
      if (granule <= before.at && before.end() <= end)
        runs_[i] = runs_[--count_];
      else if (before.end() <= granule || end <= before.at)
        ++i;
      else
        return false;
    }
    if (count_ == runs_.size()) return false;
    runs_[count_++] = {granule, run};
    if (run.sites != nullptr) runs_[count_ - 1].run.sites = keep_sites(granule, run);
    return true;
  }

  const SiteIndex* keep_sites(std::size_t granule, const Run& run) {
    if (sites_ == nullptr) sites_ = std::make_unique_for_overwrite<Sites>();
    return std::copy_n(run.sites, run.granules, sites_->begin() + granule) - run.granules;
  }

  LastAccesses& table() {
    if (table_ == nullptr) {
      table_ = std::make_unique<LastAccesses>();
      for (std::size_t i = 0; i < count_; ++i) table_->put(runs_[i].at, runs_[i].run);
    }
    return *table_;
  }

  std::array<KeptRun, 8> runs_;  ///< the first `count_` of them, none of which has granules of another one
  std::size_t count_ = 0;
  std::unique_ptr<Sites> sites_;         ///< by granule of the page
  std::unique_ptr<LastAccesses> table_;  ///< nullptr: the runs have all accesses
};

}  // namespace vgpu
