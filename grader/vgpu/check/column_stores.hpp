// Stores of whole warps whose lanes each store to a row of their own, as a thread that writes a row of a
// transposed matrix. One store is recorded in as many places as there are rows, so the stores wait until the
// order or the records matter: before a clock changes, and before anything else accesses their pages, which
// the block has not accessed before. By then, they are mostly one run per row. Covered by
// tests/vgpu/column_stores_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "vgpu/check/row_loads.hpp"
#include "vgpu/races/race_shadow.hpp"
#include "vgpu/races/spaced_runs.hpp"
#include "vgpu/shadow/global_shadow.hpp"
#include "vgpu/state/access.hpp"

namespace vgpu::exec {

class ColumnStores {
 public:
  /// Lane i stores to the granules from `at` on, and before it.
  struct Row {
    GlobalShadow::Page* page = nullptr;
    std::uint32_t at = 0;
  };
  using Rows = std::array<Row, kWarpLanes>;

  static bool can_wait(const RowShape& shape) {
    return shape.width == 1 && shape.period == kWarpLanes && shape.mask == kFullMask;
  }

  bool are_waiting() const { return rows_[0].page != nullptr; }
  /// The store of this shape at the address is the first one that waits. Addresses are in granules.
  void begin(const Rows& rows, const RowShape& shape, std::uint64_t address) {
    rows_ = rows;
    shape_ = shape;
    base_ = address;
    const auto [first, last] = std::minmax_element(
        rows.begin(), rows.end(), [](const Row& one, const Row& other) { return one.at < other.at; });
    before_ = first->at;
    after_ = static_cast<std::uint32_t>(GlobalShadow::kPageGranules) - last->at;
    lowest_ = highest_ = kMiddle;
    stored_.fill(0);
  }
  /// Whether a store can wait with the others: each row's granules are in one page, and no two rows have one
  /// in common.
  bool are_rows_of(const RowShape& shape, std::uint64_t address) const {
    const std::uint64_t ahead = address - base_ + before_;
    if (!are_waiting() || ahead >= std::uint64_t{before_} + after_ || shape != shape_) return false;
    const std::uint64_t place = place_of(address);
    return std::max(highest_, place) - std::min(lowest_, place) < shape.length();
  }
  /// The store waits; `key` is lane 0's. False without any effect: one that waits is to the same granules.
  bool add(std::uint64_t address, std::int32_t key, SiteIndex site) {
    const std::uint64_t place = place_of(address), bit = std::uint64_t{1} << place % kBits;
    std::uint64_t& stored = stored_[place / kBits];
    if ((stored & bit) != 0) return false;
    stored |= bit;
    stores_[place] = {key, site};
    lowest_ = std::min(lowest_, place);
    highest_ = std::max(highest_, place);
    return true;
  }

  /// The stores no longer wait. Calls visit(row, run) for runs that have all of them; the runs are lane 0's,
  /// and their places are relative to Row::at.
  template <class Visit>
  void take(Visit visit) {
    const Rows rows = rows_;
    clear();
    SpacedRuns together;
    together.clear();
    bool are_together = true;
    for_stores([&](const SpacedRun& run) { are_together = are_together && together.add(run) != nullptr; });
    const auto visit_rows = [&](const SpacedRun& run) {
      for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        SpacedRun of_row = run;
        of_row.at = rows[lane].at + run.at - kMiddle;
        of_row.key += static_cast<std::int32_t>(lane);
        visit(*rows[lane].page, of_row);
      }
    };
    if (are_together)
      std::for_each(together.runs().begin(), together.runs().end(), visit_rows);
    else
      for_stores(visit_rows);
  }
  /// Forgets the stores without recording them.
  void clear() { rows_[0].page = nullptr; }
  const Rows& rows() const { return rows_; }

 private:
  static constexpr std::uint32_t kMiddle = GlobalShadow::kPageGranules;
  static constexpr std::size_t kPlaces = 2 * std::size_t{kMiddle}, kBits = 64;

  std::uint64_t place_of(std::uint64_t address) const { return kMiddle + address - base_; }

  /// Calls visit for lane 0's stores in the order of their places.
  template <class Visit>
  void for_stores(Visit visit) const {
    for (std::size_t word = lowest_ / kBits; word <= highest_ / kBits; ++word)
      for (std::uint64_t rest = stored_[word]; rest != 0; rest &= rest - 1) {
        const std::size_t place = word * kBits + static_cast<std::size_t>(std::countr_zero(rest));
        constexpr std::uint32_t kOne = 1;
        constexpr bool kIsStore = true;
        visit(SpacedRun{{static_cast<std::uint32_t>(place), kOne, {}},
                        stores_[place].key,
                        stores_[place].site,
                        kIsStore});
      }
  }

  struct Store {
    std::int32_t key;
    SiteIndex site;
  };

  Rows rows_{};  ///< the first one has no page: no stores wait
  RowShape shape_;
  std::uint64_t base_ = 0;                  ///< address of lane 0's first store
  std::uint32_t before_ = 0, after_ = 0;    ///< granules that each row has before that store and from it on
  std::uint64_t lowest_ = 0, highest_ = 0;  ///< places of the stores
  std::array<std::uint64_t, kPlaces / kBits> stored_{};
  std::array<Store, kPlaces> stores_;  ///< by place
};

}  // namespace vgpu::exec
