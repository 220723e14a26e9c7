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

/// The lanes of a warp that access elements at one distance.
struct SpacedLanes {
  unsigned first = 0, count = 0;  ///< 0: the lanes follow another pattern
  std::uint64_t stride = 0;       ///< bytes, more than an element has

  static SpacedLanes of(const exec::Memo& memo) {
    const auto first = static_cast<unsigned>(std::countr_zero(memo.mask));
    const auto count = static_cast<unsigned>(std::countr_one(memo.mask >> first));
    if (count < kGroup || memo.mask != exec::kFullMask >> (exec::kWarpLanes - count) << first) return {};
    const SpacedLanes lanes{first, count, memo.delta[first + 1]};
    std::uint64_t elsewhere = 0;
    for (unsigned i = 0; i < count; ++i) elsewhere |= memo.delta[first + i] ^ (i * lanes.stride);
    constexpr std::uint64_t kLongestStride = 1024;
    const bool is_apart = lanes.stride > memo.form.bytes && lanes.stride <= kLongestStride;
    return elsewhere == 0 && is_apart ? lanes : SpacedLanes{};
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
  /// No lane of the warp loads next to another one: each element has two readers, as note_uniform_load()
  /// records it.
  bool has_lone_lanes = false;

  bool is_row() const { return !spacing.has_gaps(); }
  bool has_one_element() const { return granules <= spacing.element(); }
  ThreadSequence threads() const {
    if (step == 0) return {};
    return {.shift = spacing.shift, .step = step, .period_mask = period_mask};
  }
  std::uint32_t rest_of_period(std::uint32_t granule) const { return period_mask - (granule & period_mask); }
  std::int32_t key_of(std::uint32_t granule) const { return key_of(granule, step); }
  std::int32_t key_of(std::uint32_t granule, std::uint32_t step_of_threads) const {
    return key + static_cast<std::int32_t>(((granule & period_mask) >> spacing.shift) * step_of_threads);
  }
};

class SpacedRuns {
 public:
  void clear() { count_ = 0; }
  std::span<const SpacedRun> runs() const { return std::span(runs_).first(count_); }
  /// By the place of their first granules.
  void sort() {
    const auto all = std::span(runs_).first(count_);
    std::sort(all.begin(), all.end(),
              [](const SpacedRun& one, const SpacedRun& other) { return one.at < other.at; });
  }

  /// False without any effect: there is no room, or another thread can have accessed one of the granules.
  bool add(const SpacedRun& next) {
    SpacedRun* before = nullptr;
    std::uint16_t step = 0;
    for (SpacedRun& run : std::span(runs_).first(count_)) {
      if (const auto common = step_to(run, next)) {
        before = &run;
        step = *common;
      } else if (!run.are_apart_from(next) && !is_store_after_own_load(run, next)) {
        return false;
      }
    }
    if (before != nullptr) {
      before->step = step;
      extend(*before, next);
      return true;
    }
    if (count_ == runs_.size()) return false;
    runs_[count_++] = next;
    return true;
  }

 private:
  /// If `next` continues the run: the step of their threads.
  static std::optional<std::uint16_t> step_to(const SpacedRun& run, const SpacedRun& next) {
    if (run.place_of(run.granules) != next.at || run.spacing != next.spacing || run.is_store != next.is_store)
      return std::nullopt;
    if (run.has_lone_lanes != next.has_lone_lanes) return std::nullopt;
    if (run.site != next.site && (run.is_store || !run.is_row())) return std::nullopt;
    const auto step = common_step(run, next);
    if (!step) return std::nullopt;
    const bool follows =
        run.key_of(run.granules, *step) == next.key && next.granules - 1 <= run.rest_of_period(run.granules);
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
  static void extend(SpacedRun& run, const SpacedRun& next) {
    if (run.key_of(run.granules) != next.key) run.period_mask = run.granules - 1;
    run.granules += next.granules;
    run.has_sites |= next.has_sites || run.site != next.site;
  }
  static bool is_store_after_own_load(const SpacedRun& load, const SpacedRun& store) {
    const bool is_first = load.is_store || !store.is_store || load.spacing != store.spacing;
    const bool have_one_step = load.has_one_element() || store.has_one_element() || load.step == store.step;
    if (is_first || !have_one_step || store.at < load.at || (store.at - load.at) % load.distance() != 0)
      return false;
    const std::uint32_t granule = (store.at - load.at) / load.distance() * load.spacing.element();
    const bool have_one_order = store.granules - 1 <= load.rest_of_period(granule);
    return have_one_order && ((load.key_of(granule) ^ store.key) & AccessKey::kThreadMask) == 0;
  }

  std::array<SpacedRun, 8> runs_;
  std::size_t count_ = 0;
};

}  // namespace vgpu
