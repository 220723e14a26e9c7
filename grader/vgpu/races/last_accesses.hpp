// The last loads or the last stores of a page of global memory by the blocks of a launch, by granule, for
// page_accesses.hpp. Groups of granules that one run covers have one entry, so that a block that loads a row
// of a matrix writes few bytes, and so do granules of a group that one thread accessed. The entry is split
// once another part of the group is accessed, or in another way.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "vgpu/races/block_log.hpp"
#include "vgpu/races/block_order.hpp"
#include "vgpu/races/race_shadow.hpp"

namespace vgpu {

/// The last load or store of a granule.
struct LastAccess {
  BlockOrder::Node node = 0;  ///< 0: there was none
  std::int32_t key = 0;       ///< thread and flags as in an AccessKey
  SiteIndex site = 0;
};

class LastAccesses {
 public:
  static constexpr std::size_t kPageGranules = 1024;

  /// A part of an AccessRun.
  struct Run {
    LastAccess first;  ///< of the granule with index 0
    // By granule of the part.
    const SiteIndex* sites = nullptr;  ///< nullptr: all are first.site
    const bool* changed = nullptr;     ///< nullptr: `first` has the flag
    ThreadSequence threads;
    Spacing spacing;
    std::uint32_t index = 0;  ///< of the part's first granule; 0 if there are gaps
    std::size_t granules = 0;

    LastAccess at(std::uint32_t i) const {
      // The thread is in the lowest bits of a key.
      const std::int32_t key = first.key + static_cast<std::int32_t>(threads.offset_of(i));
      return {first.node, key | (has_changed(i) ? AccessKey::kChanged : 0), site_at(i)};
    }
    SiteIndex site_at(std::uint32_t i) const { return sites == nullptr ? first.site : sites[i - index]; }
    bool has_changed(std::uint32_t i) const { return changed != nullptr && changed[i - index]; }
  };

  LastAccess at(std::size_t granule) const {
    const std::size_t group = granule / kGroup;
    if (split_[group]) return {each_->nodes[granule], each_->keys[granule], each_->sites[granule]};
    const Group& one = groups_[group];
    const std::size_t i = granule % kGroup;
    if ((one.granules >> i & 1U) == 0) return {};
    const auto threads = static_cast<std::int32_t>((i >> one.thread_shift) * one.thread_step);
    const std::int32_t changed = (one.changed >> i & 1U) != 0 ? AccessKey::kChanged : 0;
    return {one.node, (one.key + threads) | changed, one.has_one_site ? one.site : each_->sites[granule]};
  }

  void put(std::size_t granule, const LastAccess& access) {
    constexpr std::size_t kOne = 1;
    if (put_part(granule, kOne, access)) return;
    split(granule / kGroup);
    each_->nodes[granule] = access.node;
    each_->keys[granule] = access.key;
    each_->sites[granule] = access.site;
  }

  /// Records the run's granules, from `granule` on.
  void put(std::size_t granule, const Run& run) {
    if (!run.spacing.has_gaps()) return put_adjacent(granule, run, run.index, run.granules);
    const std::uint32_t element = run.spacing.element();
    for (std::uint32_t i = 0; i < run.granules;) {
      const std::size_t at = granule + run.spacing.place_of(i);
      std::uint32_t count = put_spaced(at, run, i);
      if (count == 0) put_adjacent(at, run, i, count = element);
      i += count;
    }
  }

  bool is_empty(std::size_t first, std::size_t count) const {
    BlockOrder::Node all = 0;
    for (std::size_t at = first; at < first + count;) {
      if (split_[at / kGroup]) {
        all |= each_->nodes[at++];
      } else {
        const std::size_t in_group = std::min(kGroup - at % kGroup, first + count - at);
        all |= groups_[at / kGroup].granules & bits_of(at, in_group);
        at += in_group;
      }
    }
    return all == 0;
  }

 private:
  static constexpr std::size_t kGroups = kPageGranules / kGroup;
  static constexpr std::uint8_t kOneThread = std::countr_zero(kGroup);  ///< as Group::thread_shift

  /// The last access of granules of a group; the key and the site are those of the group's first one.
  struct Group {
    BlockOrder::Node node = 0;
    std::int32_t key = 0;
    SiteIndex site = 0;
    std::uint8_t granules = 0;  ///< those that were accessed: all, unless one thread accessed them
    std::uint8_t thread_shift = 0;
    bool has_one_site = true;  ///< otherwise, Granules has the sites
    std::uint8_t changed = 0;  ///< granules whose key has kChanged, in addition to that of `key`
    std::uint16_t thread_step = 1;
  };
  struct Granules {
    std::array<BlockOrder::Node, kPageGranules> nodes;
    std::array<std::int32_t, kPageGranules> keys;
    std::array<SiteIndex, kPageGranules> sites;
  };

  /// Records the elements of a run with gaps from index i on that are in one group, and returns the number of
  /// their granules. 0 without any effect if they do not follow the pattern of a Group.
  std::uint32_t put_spaced(std::size_t granule, const Run& run, std::uint32_t i) {
    const std::uint32_t element = run.spacing.element(), distance = element + run.spacing.gap;
    const bool is_in_order =
        run.threads.has_one_thread() || (run.threads.shift == run.spacing.shift && !run.threads.has_period());
    if (!is_in_order || (distance & (distance - 1)) != 0 || distance > kGroup || run.sites != nullptr ||
        granule % distance + element > distance)
      return 0;
    unsigned granules = 0, changed = 0;
    std::uint32_t count = 0;
    for (std::size_t at = granule % kGroup; at < kGroup && i + count < run.granules; at += distance)
      for (std::uint32_t rest = 0; rest < element; ++rest, ++count) {
        granules |= 1U << (at + rest);
        changed |= (run.has_changed(i + count) ? 1U : 0U) << (at + rest);
      }
    Group& group = groups_[granule / kGroup];
    if (split_[granule / kGroup] || (group.granules & ~granules) != 0) return 0;
    const auto shift = static_cast<std::uint8_t>(std::countr_zero(distance));
    const auto step = static_cast<std::uint16_t>(run.threads.has_one_thread() ? 0 : run.threads.step);
    const std::uint32_t skipped = static_cast<std::uint32_t>(granule % kGroup) >> shift;
    // A key of the group's first granule can be below that of thread 0: only the sums are used.
    const std::int32_t key = run.first.key + static_cast<std::int32_t>(run.threads.offset_of(i)) -
                             static_cast<std::int32_t>(skipped * step);
    group = {.node = run.first.node,
             .key = key,
             .site = run.first.site,
             .granules = static_cast<std::uint8_t>(granules),
             .thread_shift = shift,
             .changed = static_cast<std::uint8_t>(changed),
             .thread_step = step};
    return count;
  }

  /// Records the run's `count` granules from index i on.
  void put_adjacent(std::size_t granule, const Run& run, std::uint32_t i, std::size_t count) {
    const std::size_t end = granule + count;
    while (granule < end) {
      const std::size_t in_group = std::min(kGroup - granule % kGroup, end - granule);
      if (in_group == kGroup && run.threads.has_group_at(i)) {
        put_group(granule, run, i);
      } else if (!run.threads.has_one_thread() || run.sites != nullptr || run.changed != nullptr ||
                 !put_part(granule, in_group, run.at(i))) {
        put_each(granule, in_group, run, i);
      }
      granule += in_group;
      i += static_cast<std::uint32_t>(in_group);
    }
  }

  /// Records the run's `count` granules from index i on, which are in one group, one by one.
  void put_each(std::size_t granule, std::size_t count, const Run& run, std::uint32_t i) {
    split(granule / kGroup);
    for (const std::size_t end = granule + count; granule < end; ++granule, ++i) {
      const LastAccess access = run.at(i);
      each_->nodes[granule] = access.node;
      each_->keys[granule] = access.key;
      each_->sites[granule] = access.site;
    }
  }

  /// A bit for each of adjacent granules of a group.
  static unsigned bits_of(std::size_t granule, std::size_t count) {
    return ((1U << count) - 1) << granule % kGroup;
  }

  /// Adjacent granules of a group were accessed in one way. False without any effect if others were before.
  bool put_part(std::size_t granule, std::size_t count, const LastAccess& access) {
    const unsigned granules = bits_of(granule, count);
    Group& group = groups_[granule / kGroup];
    if (split_[granule / kGroup] || (group.granules & ~granules) != 0) return false;
    group = {.node = access.node,
             .key = access.key,
             .site = access.site,
             .granules = static_cast<std::uint8_t>(granules),
             .thread_shift = kOneThread};
    return true;
  }

  void put_group(std::size_t granule, const Run& run, std::uint32_t i) {
    const std::int32_t key = run.first.key + static_cast<std::int32_t>(run.threads.offset_of(i));
    const unsigned shift = std::min<unsigned>(run.threads.shift, kOneThread);
    unsigned changed = 0;
    for (unsigned bit = 0; run.changed != nullptr && bit < kGroup; ++bit)
      changed |= (run.has_changed(i + bit) ? 1U : 0U) << bit;
    groups_[granule / kGroup] = {.node = run.first.node,
                                 .key = key,
                                 .site = run.site_at(i),
                                 .granules = (1U << kGroup) - 1,
                                 .thread_shift = static_cast<std::uint8_t>(shift),
                                 .has_one_site = run.sites == nullptr,
                                 .changed = static_cast<std::uint8_t>(changed),
                                 .thread_step = run.threads.step};
    split_[granule / kGroup] = false;
    if (run.sites != nullptr)
      std::copy_n(run.sites + (i - run.index), kGroup, granules().sites.begin() + granule);
  }

  void split(std::size_t group) {
    if (split_[group]) return;
    Granules& each = granules();
    const Group one = groups_[group];
    const std::size_t first = group * kGroup;
    for (unsigned i = 0; i < kGroup; ++i) {
      const bool is_accessed = (one.granules >> i & 1U) != 0;
      const auto thread = static_cast<std::int32_t>((i >> one.thread_shift) * one.thread_step);
      const std::int32_t changed = (one.changed >> i & 1U) != 0 ? AccessKey::kChanged : 0;
      each.nodes[first + i] = is_accessed ? one.node : 0;
      each.keys[first + i] = is_accessed ? (one.key + thread) | changed : 0;
      if (one.has_one_site) each.sites[first + i] = is_accessed ? one.site : SiteIndex{0};
    }
    split_[group] = true;
  }

  Granules& granules() {
    if (each_ == nullptr) each_ = std::make_unique_for_overwrite<Granules>();
    return *each_;
  }

  std::array<Group, kGroups> groups_{};
  std::bitset<kGroups> split_;  ///< groups with an entry per granule
  std::unique_ptr<Granules> each_;
};

}  // namespace vgpu
