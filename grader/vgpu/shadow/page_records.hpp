// The accesses of a block to a page of global memory, as long as they follow the pattern of most kernels:
// lanes side by side load or store a group of granules, or all lanes load the same granules. One record takes
// the place of the keys of eight granules, which would fill the processor's caches several times as fast. Any
// other access splits the group: its granules get keys of their own, as if they had had them from the
// beginning. Covered by tests/vgpu/quick_records_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "vgpu/races/race_shadow.hpp"

namespace vgpu {

/// The instructions that load the granules of a group: one for all, or one per granule from `first` on.
struct OneSite {
  SiteIndex site = 0;

  SiteIndex operator[](unsigned) const { return site; }
  bool are_equal(unsigned) const { return true; }
};
struct EachSite {
  const SiteIndex* sites = nullptr;
  unsigned first = 0;

  SiteIndex operator[](unsigned granule) const { return sites[granule - first]; }
  bool are_equal(unsigned granules) const {
    return std::all_of(sites, sites + (std::bit_width(granules) - first),
                       [&](SiteIndex site) { return site == *sites; });
  }
};

/// The groups of kGroup granules in a page of the shadow, each beginning at a multiple of kGroup.
template <std::size_t kGranules>
class PageRecords {
 public:
  static constexpr unsigned kAll = (1U << kGroup) - 1;  ///< the granules of a group, one bit each

  /// Two readers as in a ShadowSpan. The keys are those of the group's first granule; those of the others
  /// follow from the shifts (GroupLanes).
  struct Readers {
    std::int32_t read = 0, other_read = 0;
    SiteIndex read_site = 0, other_read_site = 0;
    std::uint8_t read_shift = 0, other_shift = 0;
    std::uint8_t granules = 0;  ///< those that were read; all, unless the shifts are kOneLane
    bool has_sites = false;     ///< sites() has a site per granule, for both readers
    bool has_writer = false;    ///< writer_of() is not null
    /// A loop of further lanes over the granules has reached some of them: there, its reader takes the place
    /// of other_read.
    std::uint8_t later_granules = 0;
    bool is_later_of_other_warp = false;
    std::int32_t later_read = 0;  ///< 0: no granule has a later reader
  };
  struct Writer {
    /// As shift: lanes that each stored one granule, at one distance from one another.
    static constexpr std::uint8_t kSingleLanes = GroupLanes::kOneLane + 1;

    std::int32_t write = 0;  ///< of granule `first`; without kChanged
    SiteIndex site = 0;
    std::uint8_t shift = 0;
    std::uint8_t changed = 0;      ///< granules whose key has kChanged
    std::uint8_t granules = kAll;  ///< those that were stored: all, unless by single lanes
    std::int8_t first = 0;         ///< 0, unless single lanes stored
    std::int8_t distance = 1;      ///< of single lanes: from `first` to the next granule
    std::int16_t step = 0;         ///< of single lanes: from its thread to that of the next granule

    std::int32_t key_of(unsigned granule) const {
      if (shift != kSingleLanes) return write + kLaneSteps[shift][granule];
      return write + (static_cast<std::int32_t>(granule) - first) * step / distance;
    }
    bool is_whole() const { return granules == kAll; }
    /// Of single lanes, from a granule's thread to the next one's, if all granules were stored.
    int thread_step() const { return step * distance; }
  };

  /// For a new block.
  void restart() {
    loaded_.reset();
    stored_.reset();
    split_.reset();
  }

  /// For restarted clocks.
  void clear() {
    restart();
    readers_ = {};
  }

  /// Whether two warps have loaded these granules and nothing was stored, so that another load adds nothing.
  bool are_known(std::size_t group, unsigned granules, const WarpLoad& load) const {
    // Records of earlier blocks and of split groups have lower keys.
    const Readers& at = readers_[group];
    const unsigned of_two_warps = (at.read & AccessKey::kMany) != 0 ? at.granules
                                  : at.is_later_of_other_warp       ? at.later_granules
                                                                    : 0U;
    return at.read >= load.unsettled && (granules & ~of_two_warps) == 0 && !at.has_writer;
  }

  /// The lanes load the groups from granule `at` on, which the block accesses for the first time. False
  /// without any effect if it has accessed one of them before. Has the effect of note_load().
  template <class Groups>
  bool note_first_loads(std::size_t at, const WarpLoad& load, const Groups& groups) {
    const std::size_t first = at / kGroup, count = groups.count();
    if (at % kGroup != 0 || !are_new(first, count)) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const GroupLanes lanes = groups.lanes(static_cast<unsigned>(i));
      loaded_[first + i] = true;
      readers_[first + i] = {.read = load.key + static_cast<std::int32_t>(lanes.first),
                             .read_site = load.first.site,
                             .read_shift = static_cast<std::uint8_t>(lanes.shift),
                             .granules = kAll};
    }
    return true;
  }

  /// The lanes load the group. False without any effect if that cannot be recorded. Has the effect of
  /// note_group_load().
  bool note_load(std::size_t group, const WarpLoad& load, const GroupLanes& lanes) {
    const std::int32_t key = load.key + static_cast<std::int32_t>(lanes.first);
    if (split_[group] || !is_own_store(group, load.unsettled, key, lanes.shift)) return false;
    Readers& at = readers(group);
    if (at.has_sites || at.later_read != 0 || (at.granules != 0 && at.granules != kAll)) return false;
    const auto shift = static_cast<std::uint8_t>(lanes.shift);
    const bool is_recent = at.read >= load.unsettled;
    if (!is_recent && at.other_read < load.unsettled) {
      at.read = key;
      at.read_site = load.first.site;
      at.read_shift = shift;
      at.granules = kAll;
      return true;
    }
    if (!is_recent) return false;
    // Two warps have read each granule: a writer finds one of them.
    if ((at.read & AccessKey::kMany) != 0) return true;
    const std::int32_t differs = (at.read ^ key) & AccessKey::kThreadMask;
    const bool is_other_warp = differs >= static_cast<std::int32_t>(BlockClocks::kLanes);
    if (!is_other_warp && at.read_shift != shift) return false;
    if (differs == 0) {
      at.read = key;
      at.read_site = load.first.site;
      return true;
    }
    if (is_other_warp) at.read |= AccessKey::kMany;
    at.other_read = key;
    at.other_read_site = load.first.site;
    at.other_shift = shift;
    return true;
  }

  /// Lanes from `first` to `last` load `count` granules that begin at granule `at`, and are the latest
  /// readers of their group: a loop reads a row. Has the effect of note_uniform_load(), with the record alone
  /// in the processor's cache. False without any effect if the lanes or the granules are others.
  bool reads_on(std::size_t at, unsigned count, const WarpLoad& load, unsigned first, unsigned last) {
    // Records of earlier blocks and of split groups have lower keys.
    Readers& readers = readers_[at / kGroup];
    const bool are_readers = readers.read == load.key + static_cast<std::int32_t>(first) &&
                             readers.other_read == load.key + static_cast<std::int32_t>(last) &&
                             readers.read_shift == GroupLanes::kOneLane &&
                             readers.other_shift == GroupLanes::kOneLane;
    const unsigned granules = ((1U << count) - 1) << at % kGroup;
    const bool has_others = ((granules & readers.later_granules) | (readers.has_writer ? 1U : 0U)) != 0;
    if (!are_readers || has_others || at % kGroup + count > kGroup) return false;
    const SiteIndex site = load.first.site;
    if (!readers.has_sites && (readers.read_site != site || readers.other_read_site != site)) return false;
    if (readers.has_sites) std::fill_n(&sites_[at], count, site);
    readers.granules |= static_cast<std::uint8_t>(granules);
    return true;
  }

  /// Lanes from `first` to `last` load the same granules of the group, which are adjacent. Has the effect of
  /// note_uniform_load() for each granule.
  template <class Sites>
  [[gnu::always_inline]] bool note_uniform_load(std::size_t group, unsigned granules, const WarpLoad& load,
                                                unsigned first, unsigned last, Sites of) {
    const std::int32_t key = load.key + static_cast<std::int32_t>(first);
    const std::int32_t last_key = load.key + static_cast<std::int32_t>(last);
    if (split_[group] || (stored_[group] && writers_[group].write >= load.unsettled)) return false;
    Readers& at = readers(group);
    const bool covers = (at.granules & ~granules) == 0;
    const bool are_settled = at.read < load.unsettled && at.other_read < load.unsettled;
    if (covers && are_settled && at.later_read < load.unsettled) {
      constexpr auto kShift = static_cast<std::uint8_t>(GroupLanes::kOneLane);
      const SiteIndex site = of[static_cast<unsigned>(std::countr_zero(granules))];
      at = {key,   last_key,     site, site, kShift, kShift, static_cast<std::uint8_t>(granules),
            false, at.has_writer};
      if (of.are_equal(granules)) return true;
      at.has_sites = true;
      put_sites(group, granules, of);
      return true;
    }
    if (at.read_shift != GroupLanes::kOneLane || at.other_shift != GroupLanes::kOneLane) return false;
    if (at.read == key && at.other_read == last_key)
      return (granules & at.later_granules) == 0 && add_granules(group, granules, of);
    return add_readers(group, granules, load, key, last_key, of);
  }

  /// The lanes store to the group. `key` is the first granule's, `changed` has a bit per granule. Has the
  /// effect of note_group_store(); false without any effect if that cannot be recorded.
  bool note_store(std::size_t group, std::int32_t key, std::int32_t unsettled, SiteIndex site, unsigned shift,
                  unsigned changed) {
    if (split_[group] || !is_own_store(group, unsettled, key, shift)) return false;
    if (loaded_[group]) {
      const Readers& at = readers_[group];
      if (!is_own(at.read, at.read_shift, unsettled, key, shift)) return false;
      if (!is_own(at.other_read, at.other_shift, unsettled, key, shift)) return false;
      if (at.later_read >= unsettled) return false;
    }
    Writer& at = writers_[group];
    if (stored_[group] && at.write >= unsettled) changed |= at.changed;
    at = {key, site, static_cast<std::uint8_t>(shift), static_cast<std::uint8_t>(changed)};
    mark_stored(group);
    return true;
  }

  /// As note_first_loads(), of stores that change nothing; `key` is lane 0's.
  template <class Groups>
  bool note_first_stores(std::size_t at, std::int32_t key, SiteIndex site, const Groups& groups) {
    const std::size_t first = at / kGroup, count = groups.count();
    if (at % kGroup != 0 || !are_new(first, count)) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const GroupLanes lanes = groups.lanes(static_cast<unsigned>(i));
      stored_[first + i] = true;
      writers_[first + i] = {.write = key + static_cast<std::int32_t>(lanes.first),
                             .site = site,
                             .shift = static_cast<std::uint8_t>(lanes.shift)};
    }
    return true;
  }

  /// A lane stores to a granule. Has the effect of note_quiet_store(); false without any effect if that
  /// cannot be recorded: in a group, one instruction stores at one clock, and all pairs of neighbours are
  /// alike.
  [[gnu::always_inline]] bool note_lane_store(std::size_t granule, std::int32_t key, std::int32_t unsettled,
                                              SiteIndex site, bool changes) {
    const std::size_t group = granule / kGroup;
    const auto in_group = static_cast<unsigned>(granule % kGroup);
    if (split_[group] || (loaded_[group] && !has_own_reader(group, unsettled, key))) return false;
    Writer& at = writers_[group];
    const auto bit = static_cast<std::uint8_t>(1U << in_group);
    const auto changed = static_cast<std::uint8_t>(changes ? bit : 0);
    if (!stored_[group]) {
      at = {.write = key,
            .site = site,
            .shift = Writer::kSingleLanes,
            .changed = changed,
            .granules = bit,
            .first = static_cast<std::int8_t>(in_group)};
      mark_stored(group);
      return true;
    }
    const std::int32_t step = key - at.write;
    const bool is_alike = at.shift == Writer::kSingleLanes && at.site == site &&
                          std::abs(step) <= AccessKey::kThreadMask && (at.granules & bit) == 0;
    if (!is_alike) return false;
    const int distance = static_cast<int>(in_group) - at.first;
    if ((at.granules & (at.granules - 1)) == 0) {  // one
      at.distance = static_cast<std::int8_t>(distance);
      at.step = static_cast<std::int16_t>(step);
    } else if (step * at.distance != distance * at.step) {
      return false;
    }
    at.granules |= bit;
    at.changed |= changed;
    return true;
  }

  /// Gives the groups of `count` granules from `first` on keys of their own in the page's shadow.
  void split(std::size_t first, unsigned count, const ShadowSpan& page) {
    for (std::size_t group = first / kGroup; group <= (first + count - 1) / kGroup; ++group) {
      if (split_[group]) continue;
      split_[group] = true;
      const ShadowSpan at = page.from(group * kGroup);
      if (loaded_[group]) put_readers(group, at);
      readers_[group].read = 0;  // see are_known()
      if (stored_[group]) put_writer(writers_[group], at);
    }
  }

  /// A row of lanes loaded or stored the group, as note_load() and note_store() would record it. False
  /// without any effect if the group is split. `has_sites`: set_sites() has had the instructions.
  /// `other_lane`: of the second reader, counted from the first one; negative: there is none.
  bool put_group(std::size_t group, std::int32_t key, SiteIndex site, unsigned shift, bool is_store,
                 bool has_sites, int other_lane) {
    if (split_[group]) return false;
    const auto of_lanes = static_cast<std::uint8_t>(shift);
    if (is_store) {
      writers_[group] = {.write = key, .site = site, .shift = of_lanes};
      mark_stored(group);
      return true;
    }
    Readers& at = readers(group);
    at.read = key;
    at.read_site = has_sites ? sites(group)[0] : site;
    at.read_shift = of_lanes;
    at.granules = kAll;
    at.has_sites = has_sites && !EachSite{sites(group)}.are_equal(kAll);
    if (other_lane >= 0) {
      at.other_read = at.read + other_lane;
      at.other_read_site = at.read_site;
      at.other_shift = at.read_shift;
    }
    return true;
  }
  /// The instructions that load the granules.
  void set_sites(std::size_t first, std::size_t count, SiteIndex site) {
    std::fill_n(&sites_[first], count, site);
  }
  void set_sites(std::size_t first, std::size_t count, const SiteIndex* sites) {
    std::copy_n(sites, count, &sites_[first]);
  }

  bool is_split(std::size_t group) const { return split_[group]; }
  /// Whether split() has nothing to do. At most kGroup granules.
  bool are_split(std::size_t first, unsigned count) const {
    return split_[first / kGroup] && split_[(first + count - 1) / kGroup];
  }
  /// Whether the block can have stored to some of these granules.
  bool may_be_stored(std::size_t first, unsigned count) const {
    for (std::size_t group = first / kGroup; group <= (first + count - 1) / kGroup; ++group)
      if (split_[group] || stored_[group]) return true;
    return false;
  }
  /// Of a group that is not split; nullptr: none.
  const Readers* readers_of(std::size_t group) const { return loaded_[group] ? &readers_[group] : nullptr; }
  const Writer* writer_of(std::size_t group) const { return stored_[group] ? &writers_[group] : nullptr; }
  const SiteIndex* sites(std::size_t group) const { return &sites_[group * kGroup]; }

 private:
  static constexpr std::size_t kGroups = kGranules / kGroup;

  /// Whether an access is settled or the threads' own.
  static bool is_own(std::int32_t earlier, unsigned earlier_shift, std::int32_t unsettled, std::int32_t key,
                     unsigned shift) {
    return earlier < unsettled || (earlier_shift == shift && ((earlier ^ key) & AccessKey::kThreadMask) == 0);
  }
  bool is_own_store(std::size_t group, std::int32_t unsettled, std::int32_t key, unsigned shift) const {
    return !stored_[group] || is_own(writers_[group].write, writers_[group].shift, unsettled, key, shift);
  }

  /// Whether the block has not accessed the groups.
  bool are_new(std::size_t first, std::size_t count) const {
    bool are_new = true;
    for (std::size_t group = first; group < first + count; ++group)
      are_new &= !loaded_[group] && !stored_[group] && !split_[group];
    return are_new;
  }

  void mark_stored(std::size_t group) {
    stored_[group] = true;
    if (loaded_[group]) readers_[group].has_writer = true;
  }

  Readers& readers(std::size_t group) {
    if (!loaded_[group]) readers_[group] = Readers{.has_writer = stored_[group]};
    loaded_[group] = true;
    return readers_[group];
  }

  /// Whether the only thread that has read from the group since the store's clock is the one with this key.
  bool has_own_reader(std::size_t group, std::int32_t unsettled, std::int32_t key) const {
    const Readers& at = readers_[group];
    const bool is_one = at.read_shift == GroupLanes::kOneLane && at.other_shift == GroupLanes::kOneLane;
    const auto is_own = [&](std::int32_t read) {
      return read < unsettled || (is_one && ((read ^ key) & AccessKey::kThreadMask) == 0);
    };
    return is_own(at.read) && is_own(at.other_read) && at.later_read < unsettled;
  }

  /// The record's readers have read further granules, or some again.
  template <class Sites>
  bool add_granules(std::size_t group, unsigned granules, Sites of) {
    Readers& at = readers_[group];
    if (!at.has_sites) {
      if (at.read_site != at.other_read_site) return false;
      if (!has_site(group, granules, of)) {
        std::fill_n(&sites_[group * kGroup], kGroup, at.read_site);
        at.has_sites = true;
      }
    }
    if (at.has_sites) put_sites(group, granules, of);
    at.granules |= static_cast<std::uint8_t>(granules);
    return true;
  }

  template <class Sites>
  void put_sites(std::size_t group, unsigned granules, Sites of) {
    const auto first = static_cast<unsigned>(std::countr_zero(granules));
    for (unsigned i = first; i < kGroup && (granules >> i & 1U) != 0; ++i) sites_[group * kGroup + i] = of[i];
  }

  /// Other lanes have read some of the record's granules.
  template <class Sites>
  bool add_readers(std::size_t group, unsigned granules, const WarpLoad& load, std::int32_t key,
                   std::int32_t last_key, Sites of) {
    Readers& at = readers_[group];
    if (at.read < load.unsettled || (granules & ~at.granules) != 0) return false;
    if ((granules & at.later_granules) != 0) {
      if (at.later_granules != at.granules)
        return at.is_later_of_other_warp && (granules & ~at.later_granules) == 0;
      // The loop has ended.
      at.other_read = std::exchange(at.later_read, 0);
      at.later_granules = 0;
      if (std::exchange(at.is_later_of_other_warp, false)) at.read |= AccessKey::kMany;
    }
    if ((at.read & AccessKey::kMany) != 0) return true;
    const std::int32_t differs = (at.read ^ key) & AccessKey::kThreadMask;
    const bool is_other_warp = differs >= static_cast<std::int32_t>(BlockClocks::kLanes);
    const std::int32_t thread = at.read & AccessKey::kThreadMask;
    const bool reads_again =
        thread >= (key & AccessKey::kThreadMask) && thread <= (last_key & AccessKey::kThreadMask);
    // The warp's own lanes can have met since, and the warps of a part of the block.
    const bool can_be_ordered =
        is_other_warp ? !load.has_one_floor : AccessKey(at.read).clock() != AccessKey(key).clock();
    if (reads_again || can_be_ordered || !has_site(group, granules, of)) return false;
    // As note_uniform_load(), which stops after the first group of lanes once two warps have read.
    constexpr auto kLastOfGroup = static_cast<std::int32_t>(kGroup - 1);
    const std::int32_t later = is_other_warp ? std::min(key + kLastOfGroup, last_key) : last_key;
    if (at.later_read != 0 && (at.later_read != later || at.is_later_of_other_warp != is_other_warp))
      return false;
    at.later_read = later;
    at.is_later_of_other_warp = is_other_warp;
    at.later_granules |= static_cast<std::uint8_t>(granules);
    return true;
  }

  /// Whether both readers' sites are these.
  template <class Sites>
  bool has_site(std::size_t group, unsigned granules, Sites of) const {
    const Readers& at = readers_[group];
    for (unsigned i = 0; i < kGroup; ++i) {
      if ((granules >> i & 1U) == 0) continue;
      const bool is_equal =
          at.has_sites ? sites(group)[i] == of[i] : at.read_site == of[i] && at.other_read_site == of[i];
      if (!is_equal) return false;
    }
    return true;
  }

  void put_readers(std::size_t group, const ShadowSpan& at) const {
    const Readers& readers = readers_[group];
    for (unsigned i = 0; i < kGroup; ++i) {
      if ((readers.granules >> i & 1U) == 0) continue;
      at.read_site[i] = readers.has_sites ? sites(group)[i] : readers.read_site;
      at.other_read_site[i] = readers.has_sites ? sites(group)[i] : readers.other_read_site;
      at.read[i] = readers.read + kLaneSteps[readers.read_shift][i];
      if ((readers.later_granules >> i & 1U) != 0) {
        at.other_read[i] = readers.later_read;
        if (readers.is_later_of_other_warp) at.read[i] |= AccessKey::kMany;
        continue;
      }
      at.other_read[i] =
          readers.other_read == 0 ? 0 : readers.other_read + kLaneSteps[readers.other_shift][i];
    }
  }

  static void put_writer(const Writer& writer, const ShadowSpan& at) {
    for (unsigned i = 0; i < kGroup; ++i) {
      if ((writer.granules >> i & 1U) == 0) continue;
      const std::int32_t changed = (writer.changed >> i & 1U) != 0 ? AccessKey::kChanged : 0;
      at.write[i] = writer.key_of(i) | changed;
      at.write_site[i] = writer.site;
    }
  }

  std::array<Readers, kGroups> readers_{};
  std::array<Writer, kGroups> writers_;
  std::array<SiteIndex, kGranules> sites_;
  std::bitset<kGroups> loaded_, stored_, split_;
};

}  // namespace vgpu
