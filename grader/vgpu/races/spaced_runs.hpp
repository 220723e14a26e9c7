// Accesses of lanes at a constant stride, such as side by side, every second word of an array or one member
// of each structure, to a page that the block accesses in no other way. As long as no two threads access one
// granule, a whole warp's access adds to a run, and the runs are what the block's log needs. Covered by
// tests/vgpu/spaced_runs_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vgpu/races/block_log.hpp"
#include "vgpu/races/race_shadow.hpp"
#include "vgpu/state/access.hpp"

namespace vgpu {

/// Elements at one distance that a warp accesses, each by `width` adjacent lanes.
struct SpacedLanes {
  unsigned first = 0;        ///< the lowest active lane
  unsigned count = 0;        ///< elements; 0: the lanes follow another pattern
  unsigned width = 1;        ///< more than 1 for loads only
  unsigned step = 1;         ///< from the first lane of an element to that of the next one
  std::uint64_t stride = 0;  ///< from an element to the next one, bytes

  static SpacedLanes of(const exec::Memo& memo) {
    using exec::kWarpLanes;
    const auto is_active = [&](unsigned lane) { return (memo.mask >> lane & 1U) != 0; };
    const auto first = static_cast<unsigned>(std::countr_zero(memo.mask));
    unsigned next = first + 1;
    while (next < kWarpLanes && is_active(next) && memo.delta[next] == 0) ++next;
    const unsigned width = next - first;
    while (next < kWarpLanes && !is_active(next)) ++next;
    if (next >= kWarpLanes) return {};
    const unsigned step = next - first, last = kWarpLanes - 1 - std::countl_zero(memo.mask);
    const SpacedLanes lanes{first, (last - first) / step + 1, width, step, memo.delta[next]};
    return lanes.can_be_runs(memo.form.bytes) && lanes.are_all(memo) ? lanes : SpacedLanes{};
  }
  /// The lanes of the elements from this one on.
  std::uint32_t from(unsigned element, std::uint32_t mask) const {
    return element == count ? 0 : mask & exec::kFullMask << (first + element * step);
  }

 private:
  /// Lanes side by side are parts of a LoadPlan, and elements that lanes share wait if rows can follow.
  bool can_be_runs(std::uint32_t bytes) const {
    constexpr std::uint64_t kLongestStride = 1024;
    if (width > 1) return stride >= bytes && stride < std::uint64_t{bytes} * kGroup;
    return count >= kGroup && stride >= bytes + (step == 1 ? 1U : 0U) && stride <= kLongestStride;
  }
  bool are_all(const exec::Memo& memo) const {
    std::uint32_t mask = 0;
    std::uint64_t elsewhere = 0;
    for (unsigned element = 0; element < count; ++element)
      for (unsigned lane = first + element * step, end = lane + width; lane < end; ++lane) {
        if (lane >= exec::kWarpLanes) return false;
        mask |= 1U << lane;
        elsewhere |= memo.delta[lane] ^ (element * stride);
      }
    return mask == memo.mask && elsewhere == 0;
  }
};

/// Plain accesses to granules of a page.
struct SpacedRun : SpacedGranules {
  std::int32_t key = 0;  ///< of the first granule
  SiteIndex site = 0;    ///< of the first granule
  bool is_store = false;
  /// Lanes side by side start over with the first thread after so many granules, as a warp that loads a row.
  std::uint32_t period_mask = ThreadSequence::kNoPeriod;
  /// From the thread of an element to that of the next one; 0: one thread accesses all elements. Meaningful
  /// if there are several elements.
  std::uint16_t step = 1;
  bool has_sites = false;  ///< the loads are several instructions'
  /// The last one of the lanes that load an element, counted from the first one: the element then has two
  /// readers, as note_uniform_load() records it, even if one lane alone loads it.
  std::int8_t other_lane = kOneReader;

  static constexpr std::int8_t kOneReader = -1;

  bool is_row() const { return !spacing.has_gaps(); }
  bool has_one_element() const { return granules <= spacing.element(); }
  ThreadSequence threads() const { return threads(step); }
  ThreadSequence threads(std::uint16_t by_step) const {
    if (by_step == 0) return {};
    return {.shift = spacing.shift, .step = by_step, .period_mask = period_mask};
  }
  std::int32_t key_of(std::uint32_t granule) const {
    return key + static_cast<std::int32_t>(threads().offset_of(granule));
  }

  /// Whether each granule is the next thread's, which can start over.
  bool has_lanes_side_by_side() const {
    return spacing == Spacing{} && step == 1 && other_lane == kOneReader;
  }
  /// Whether the run can have sites of its granules.
  bool can_have_sites() const { return is_row() && !is_store; }
  /// Whether the run, continued by `next` at its next place and key, has the accesses of both.
  bool has_like(const SpacedRun& next) const {
    return spacing == next.spacing && is_store == next.is_store && step == next.step &&
           other_lane == next.other_lane && (site == next.site || can_have_sites()) &&
           next.granules - 1 <= threads().rest_of_period(granules);
  }
  /// Some elements of a row.
  SpacedRun part(std::uint32_t first, std::uint32_t count) const {
    SpacedRun part = *this;
    part.at += first;
    part.granules = count;
    part.key = key_of(first);
    return part;
  }
  /// The threads of these granules are among those from `first` to `last`.
  struct ThreadRange {
    unsigned first = 0, last = 0;

    bool is_apart_from(const ThreadRange& other) const { return last < other.first || other.last < first; }
  };
  ThreadRange threads_of(std::uint32_t first, std::uint32_t count) const {
    const bool start_over = threads().rest_of_period(first) < count - 1;
    const std::uint32_t last = start_over ? period_mask : first + count - 1;
    return {AccessKey(start_over ? key : key_of(first)).thread(), AccessKey(key_of(last)).thread()};
  }
  /// Whether no granule of `load`, a part of a row that is among the run's granules, has one thread in both.
  bool has_other_threads_than(const SpacedRun& load) const {
    const std::uint32_t first = load.at - at;
    const bool are_parallel = step == 1 && period_mask == ThreadSequence::kNoPeriod &&
                              spacing == load.spacing && (first & (spacing.element() - 1)) == 0;
    if (are_parallel) return ((key_of(first) ^ load.key) & AccessKey::kThreadMask) != 0;
    return threads_of(first, load.granules).is_apart_from(load.threads_of(0, load.granules));
  }
};

class SpacedRuns {
 public:
  void clear() { count_ = latest_ = 0; }
  std::span<const SpacedRun> runs() const { return std::span(runs_).first(count_); }
  /// Calls visit for the runs, by the place of their first granules.
  template <class Visit>
  void for_sorted(Visit visit) const {
    std::array<std::uint32_t, kMostRuns> order;  // places with the runs' indices
    for (std::size_t i = 0; i < count_; ++i)
      order[i] = runs_[i].at * kMostRuns + static_cast<std::uint32_t>(i);
    std::sort(order.begin(), order.begin() + count_);
    for (std::size_t i = 0; i < count_; ++i) visit(runs_[order[i] % kMostRuns]);
  }

  /// The granules of a row from `first` on that are one run's, or no run's. Places between those of a run
  /// count as the run's.
  struct RowPart {
    const SpacedRun* run = nullptr;
    std::uint32_t granules = 0;
  };
  RowPart part_of(const SpacedRun& row, std::uint32_t first) const {
    const std::uint32_t at = row.at + first, end = row.at + row.granules;
    RowPart part{nullptr, end - at};
    for (std::size_t i = 0; i < count_; ++i) {
      const SpacedRun& run = runs_[i];
      if (next_[i].place <= at || end <= run.at) continue;
      if (run.at <= at) part.run = &run;
      part.granules = std::min(part.granules, (run.at <= at ? next_[i].place : run.at) - at);
    }
    return part;
  }

  /// As add(), in the common case: lanes side by side, one granule each, continue the latest run. nullptr
  /// without any effect: add() has to decide. The caller adds the site if the run has several.
  [[gnu::always_inline]] SpacedRun* continue_latest(std::uint32_t at, std::uint32_t granules,
                                                    std::int32_t key, SiteIndex site, bool is_store) {
    SpacedRun& run = runs_[latest_];
    Next& next = next_[latest_];
    const bool continues = count_ != 0 && next.place == at && next.key == key && run.is_store == is_store &&
                           (run.has_sites || run.site == site) && run.has_lanes_side_by_side();
    if (!continues) return nullptr;
    for (std::size_t i = 0; i < count_; ++i)
      if (i != latest_ && runs_[i].at < at + granules && next_[i].place >= at) return nullptr;
    if (granules - 1 > run.period_mask - (run.granules & run.period_mask)) return nullptr;
    run.granules += granules;
    next = {at + granules, run.key + static_cast<std::int32_t>(run.granules & run.period_mask)};
    return &run;
  }
  /// The run that has the accesses from now on. nullptr without any effect: there is no room, or another
  /// thread can have accessed one of the granules. The caller sets SpacedRun::has_sites.
  SpacedRun* add(const SpacedRun& next) {
    std::size_t before = kMostRuns;
    std::uint16_t step = 0;
    bool is_like = false;
    const std::uint32_t place_after = next.place_of(next.granules);
    for (std::size_t i = 0; i < count_; ++i) {
      const SpacedRun& run = runs_[i];
      if (place_after <= run.at || next_[i].place < next.at) continue;
      const bool is_next = next_[i].place == next.at;
      if (is_next && next_[i].key == next.key && run.has_like(next)) {
        before = i;
        is_like = true;
      } else if (const auto common = is_next ? step_to(run, next) : std::nullopt) {
        before = i;
        is_like = false;
        step = *common;
      } else if (!run.are_apart_from(next) && !is_store_after_own_load(run, next)) {
        return nullptr;
      }
    }
    if (before == kMostRuns) {
      if (count_ == kMostRuns) return nullptr;
      before = count_++;
      runs_[before] = next;
    } else if (is_like) {
      runs_[before].granules += next.granules;
    } else {
      extend(runs_[before], next, step);
    }
    latest_ = before;
    next_[before] = after(runs_[before]);
    return &runs_[before];
  }

 private:
  /// If `next`, which is at the run's next place, continues the run: the step of their threads.
  static std::optional<std::uint16_t> step_to(const SpacedRun& run, const SpacedRun& next) {
    if (run.spacing != next.spacing || run.is_store != next.is_store || run.other_lane != next.other_lane)
      return std::nullopt;
    if (run.site != next.site && !run.can_have_sites()) return std::nullopt;
    const auto step = common_step(run, next);
    if (!step) return std::nullopt;
    const ThreadSequence threads = run.threads(*step);
    const bool follows = run.key + static_cast<std::int32_t>(threads.offset_of(run.granules)) == next.key &&
                         next.granules - 1 <= threads.rest_of_period(run.granules);
    return follows || starts_over(run, next) ? step : std::nullopt;
  }
  /// The step of a run that has the elements of both.
  static std::optional<std::uint16_t> common_step(const SpacedRun& run, const SpacedRun& next) {
    if (!run.has_one_element())
      return next.has_one_element() || run.step == next.step ? std::optional(run.step) : std::nullopt;
    if (!next.has_one_element()) return next.step;
    const std::int32_t step = next.key - run.key;
    const bool is_later_thread = step >= 0 && step <= AccessKey::kThreadMask;
    return is_later_thread ? std::optional(static_cast<std::uint16_t>(step)) : std::nullopt;
  }
  static bool starts_over(const SpacedRun& run, const SpacedRun& next) {
    return run.is_row() && run.key == next.key && next.granules <= run.granules &&
           run.period_mask == ThreadSequence::kNoPeriod && ThreadSequence::can_be_period(run.granules);
  }
  static void extend(SpacedRun& run, const SpacedRun& next, std::uint16_t step) {
    run.step = step;
    if (run.key_of(run.granules) != next.key) run.period_mask = run.granules - 1;
    run.granules += next.granules;
  }
  static bool is_store_after_own_load(const SpacedRun& load, const SpacedRun& store) {
    const bool is_first = load.is_store || !store.is_store || load.spacing != store.spacing;
    if (load.other_lane > 0) return false;
    const bool have_one_step = load.has_one_element() || store.has_one_element() || load.step == store.step;
    if (is_first || !have_one_step || store.at < load.at || (store.at - load.at) % load.distance() != 0)
      return false;
    const std::uint32_t granule = (store.at - load.at) / load.distance() * load.spacing.element();
    const bool have_one_order = store.granules - 1 <= load.threads().rest_of_period(granule);
    return have_one_order && ((load.key_of(granule) ^ store.key) & AccessKey::kThreadMask) == 0;
  }

  static constexpr std::size_t kMostRuns = 16;

  /// The granule that would continue a run.
  struct Next {
    std::uint32_t place = 0;
    std::int32_t key = 0;
  };
  static Next after(const SpacedRun& run) { return {run.place_of(run.granules), run.key_of(run.granules)}; }

  std::array<SpacedRun, kMostRuns> runs_;
  std::array<Next, kMostRuns> next_;  ///< by run
  std::size_t count_ = 0;
  std::size_t latest_ = 0;  ///< the run that was added or continued last
};

}  // namespace vgpu
