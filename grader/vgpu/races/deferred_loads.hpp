// Loads of shared memory whose record can wait. After a barrier of the whole block, no load of words that
// were not stored since races: all their stores are ordered before it. If another such barrier follows, it
// orders the loads before all later accesses, so that no record is needed at all: a tiled product alternates
// between phases that only store and phases that only load, a scan loads from one of two buffers and stores
// to the other. If anything else follows, such as a store to a word that was loaded,
// BlockChecker::note_deferred() records the loads first, in their order, and until the next barrier of the
// whole block each load is recorded immediately.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "vgpu/races/group_load.hpp"
#include "vgpu/races/race_shadow.hpp"

namespace vgpu {

/// One warp's load of elements of one word, or of several if not scattered. Granules are words.
struct DeferredLoad {
  enum class Pattern : std::uint8_t { side_by_side, uniform, scattered };

  ThreadAccess first;  ///< lane 0's
  Pattern pattern = Pattern::scattered;
  std::uint32_t mask = 0;      ///< active lanes; all, unless scattered
  std::uint32_t per_lane = 1;  ///< granules of an element
  GroupStarts starts{};  ///< the first granule of each group of kGroup lanes; scattered: [0] is a place()
};

class DeferredLoads {
 public:
  using Granules = std::array<std::uint32_t, BlockClocks::kLanes>;  ///< by lane

  explicit DeferredLoads(std::size_t granules)
      : granules_read_(granules + kGroup),
        read_(std::make_unique<bool[]>(granules_read_)),
        read_in_phase_(std::make_unique<std::uint8_t[]>(granules_read_)) {
    loads_.reserve(kMaxLoads);
  }

  /// Whether loads wait.
  bool are_waiting() const { return are_waiting_; }
  /// Drops the loads that wait; whether later ones wait.
  void restart(bool wait) {
    loads_.clear();
    granules_.clear();
    are_waiting_ = wait;
    has_stores_ = false;
  }
  /// Whether the block has stored to shared memory while loads can wait.
  bool has_stores() const { return has_stores_; }
  bool have_loads() const { return !loads_.empty(); }
  /// The block is about to store.
  void begin_store() {
    if (std::exchange(has_stores_, true)) return;
    if (++phase_ == 0) {
      std::fill_n(read_in_phase_.get(), granules_read_, std::uint8_t{0});
      ++phase_;
    }
    for (const DeferredLoad& load : loads()) mark(load);
  }
  /// Whether a load that waits reads one of the granules, to which the block is about to store.
  bool are_read(std::uint32_t first, std::uint32_t count) const {
    bool found = false;
    for (std::uint32_t i = 0; i < count; ++i) found |= read_in_phase_[first + i] == phase_;
    return found;
  }
  /// Whether another load can wait.
  bool has_room() const { return are_waiting_ && loads_.size() < kMaxLoads; }
  void add(const DeferredLoad& load) {
    assert(has_room());
    loads_.push_back(load);
  }
  /// The loads that wait.
  std::span<const DeferredLoad> loads() const { return loads_; }

  /// Keeps the granules of a scattered load and returns their place.
  std::uint32_t put(const Granules& granules) {
    granules_.push_back(granules);
    return static_cast<std::uint32_t>(granules_.size() - 1);
  }
  const Granules& granules_of(const DeferredLoad& load) const { return granules_[load.starts[0]]; }

  /// Which granules were read by loads that waited. `kHasStores`: has_stores().
  template <bool kHasStores>
  void mark_read(std::uint32_t granule) {
    read_[granule] = true;
    if constexpr (kHasStores) read_in_phase_[granule] = phase_;
  }
  template <bool kHasStores>
  void mark_group_read(std::uint32_t first) {
    static_assert(kGroup == sizeof(std::uint64_t) && sizeof(bool) == 1);
    constexpr std::uint64_t kAll = 0x0101010101010101;
    std::memcpy(&read_[first], &kAll, sizeof kAll);
    if constexpr (kHasStores) {
      const std::uint64_t phases = kAll * phase_;
      std::memcpy(&read_in_phase_[first], &phases, sizeof phases);
    }
  }
  const bool* were_read() const { return read_.get(); }  ///< by granule
  void forget_reads() { std::fill_n(read_.get(), granules_read_, false); }

 private:
  void mark(const DeferredLoad& load) {
    if (load.pattern == DeferredLoad::Pattern::scattered) {
      const Granules& granules = granules_of(load);
      for (unsigned lane = 0; lane < granules.size(); ++lane)
        if ((load.mask >> lane & 1U) != 0) mark_read<true>(granules[lane]);
      return;
    }
    for (const std::uint32_t start : load.starts)
      for (std::uint32_t i = 0; i < load.per_lane; ++i)
        load.pattern == DeferredLoad::Pattern::side_by_side ? mark_group_read<true>(start + i * kGroup)
                                                            : mark_read<true>(start + i);
  }

  /// A kernel that only loads can do so for ever.
  static constexpr std::size_t kMaxLoads = 4096;

  bool are_waiting_ = false;
  std::vector<DeferredLoad> loads_;
  std::vector<Granules> granules_;
  std::size_t granules_read_;  ///< length of read_: a group can begin at the last granule
  std::unique_ptr<bool[]> read_;
  bool has_stores_ = false;                        ///< in the present phase
  std::uint8_t phase_ = 0;                         ///< number of the latest phase with stores
  std::unique_ptr<std::uint8_t[]> read_in_phase_;  ///< the latest of these phases in which a load reads it
};

}  // namespace vgpu
