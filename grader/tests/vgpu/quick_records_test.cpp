// The quick ways to record accesses in a shadow leave the same keys as recording lane after lane does, and
// leave every race to the slow way.
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "catch.hpp"
#include "vgpu/races/group_load.hpp"
#include "vgpu/races/race_shadow.hpp"
#include "vgpu/shadow/page_records.hpp"

namespace quick_records_test {

using vgpu::AccessKey;
using vgpu::BlockClocks;
using vgpu::GroupLanes;
using vgpu::kGroup;
using vgpu::Shadow;
using vgpu::ShadowSpan;
using vgpu::ThreadAccess;

namespace {

constexpr unsigned kGranules = 32, kWarps = 3;

struct State {
  Shadow shadow{kGranules};
  std::size_t races = 0;

  std::vector<std::int32_t> contents() {
    const ShadowSpan all = shadow.span();
    std::vector<std::int32_t> values;
    for (unsigned i = 0; i < kGranules; ++i) {
      values.insert(values.end(), {all.write[i], all.read[i], all.other_read[i]});
      // The site of a key that was never set has no meaning.
      values.push_back(all.write[i] == 0 ? 0 : all.write_site[i]);
      values.push_back(all.read[i] == 0 ? 0 : all.read_site[i]);
      values.push_back(all.other_read[i] == 0 ? 0 : all.other_read_site[i]);
    }
    return values;
  }
};

/// Random accesses of three warps, recorded twice.
class Run {
 public:
  explicit Run(unsigned seed) : random_(seed) { clocks_.begin_block(); }

  void step() {
    const unsigned kind = below(20);
    const unsigned warp = below(kWarps), lane = kGroup * below(4), at = below(kGranules - kGroup);
    ThreadAccess access{warp * BlockClocks::kLanes + lane, 0, false, static_cast<vgpu::SiteIndex>(below(50)),
                        false};
    if (kind == 0) return clocks_.meet_at_barrier((1U << kWarps) - 1, true);
    if (kind == 1) {
      const bool everybody = below(4) != 0;
      return clocks_.meet_in_warp(warp, everybody ? ~0U : 3U, everybody);
    }
    if (kind > 17) return group_read(access, at);
    if (kind > 15) return ordered_load(access, at);
    if (kind < 4) return atomic(access, at);
    if (kind < 6) return group_load(access, at);
    if (kind == 6) return part_load(access, at);
    if (kind < 9) return uniform_load(access, at);
    access.is_store = true;
    if (kind < 13) return group_store(access, at);
    lane_store(access, at);
  }

  State slow, quick;
  std::size_t quick_steps = 0, ordered_loads = 0;

 private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  void atomic(ThreadAccess access, unsigned at) {
    access.is_store = true;
    access.flags = AccessKey::kAtomic;
    slow.races += note_store(slow.shadow.span().from(at), access, clocks_, true).is_none() ? 0 : 1;
    const ShadowSpan granule = quick.shadow.span().from(at);
    const bool is_quick = note_quiet_atomic(granule, access, clocks_);
    if (!is_quick) quick.races += note_store(granule, access, clocks_, true).is_none() ? 0 : 1;
    quick_steps += is_quick ? 1 : 0;
  }

  void load_lanes(State& state, ThreadAccess access, unsigned at) {
    for (unsigned i = 0; i < kGroup; ++i, ++access.thread)
      state.races += note_load(state.shadow.span().from(at + i), access, clocks_).is_none() ? 0 : 1;
  }

  void group_load(const ThreadAccess& access, unsigned at) {
    const unsigned lane = access.thread % BlockClocks::kLanes;
    ThreadAccess first = access;
    first.thread -= lane;
    load_lanes(slow, access, at);
    const bool is_quick = note_first_group_load(quick.shadow.span().from(at),
                                                vgpu::warp_load(first, clocks_, false), {lane, 0});
    if (!is_quick) load_lanes(quick, access, at);
    quick_steps += is_quick ? 1 : 0;
  }

  /// Plain or volatile.
  void ordered_load(const ThreadAccess& access, unsigned at) {
    ThreadAccess first = access;
    first.thread -= access.thread % BlockClocks::kLanes;
    first.flags = below(2) == 0 ? AccessKey::kVolatile : 0;
    const vgpu::WarpLoad load = vgpu::warp_load(first, clocks_, false);
    const GroupLanes lanes{access.thread % BlockClocks::kLanes, below(GroupLanes::kOneLane + 1)};
    const auto note_lanes = [&](State& state) {
      for (unsigned i = 0; i < kGroup; ++i) {
        const ShadowSpan granule = state.shadow.span().from(at + i);
        ThreadAccess one = first;
        one.thread += lanes.first + (i >> lanes.shift);
        // As BlockChecker::note(), which plain loads of settled stores do not need.
        const AccessKey write(*granule.write);
        const bool is_settled = write.bits() < load.unsettled;
        one.reads_back = write.thread() == one.thread && !is_unwritten(granule, clocks_) &&
                         (one.flags != 0 || !is_settled);
        state.races += note_load(granule, one, clocks_).is_none() ? 0 : 1;
      }
    };
    note_lanes(slow);
    const bool is_quick = note_ordered_group_load(quick.shadow.span().from(at), load, lanes, clocks_);
    if (!is_quick) note_lanes(quick);
    ordered_loads += is_quick ? 1 : 0;
  }

  /// Some lanes of a group load, whether they race or not.
  void group_read(const ThreadAccess& access, unsigned at) {
    ThreadAccess first = access;
    first.thread -= access.thread % BlockClocks::kLanes;
    const GroupLanes lanes{access.thread % BlockClocks::kLanes, below(GroupLanes::kOneLane + 1)};
    const unsigned active = 1 + below((1U << kGroup) - 1);
    for (unsigned i = 0; i < kGroup; ++i) {
      ThreadAccess one = first;
      one.thread += lanes.first + (i >> lanes.shift);
      if ((active >> i & 1U) != 0) note_read(slow.shadow.span().from(at + i), one, clocks_);
    }
    note_group_read(quick.shadow.span().from(at), vgpu::warp_load(first, clocks_, false), lanes, clocks_,
                    active);
  }

  /// Some lanes of a group load: other granules stay as they are, and all lanes of a group are a group.
  void part_load(const ThreadAccess& access, unsigned at) {
    const unsigned lane = access.thread % BlockClocks::kLanes, active = 1 + below((1U << kGroup) - 1);
    ThreadAccess first = access;
    first.thread -= lane;
    const vgpu::WarpLoad load = vgpu::warp_load(first, clocks_, false);
    State part = quick, all = quick;
    const GroupLanes lanes{lane, 0};
    const bool is_noted =
        note_group_load(part.shadow.span().from(at), load, lanes, clocks_, vgpu::SomeGranules{active});
    // Granules that are not loaded do not matter: they get the state of one that nothing has accessed.
    for (unsigned i = 0; i < kGroup; ++i) {
      const ShadowSpan granule = all.shadow.span().from(at + i);
      if ((active >> i & 1U) == 0) *granule.write = *granule.read = *granule.other_read = 0;
    }
    std::size_t races = 0;
    State lanewise = quick;
    for (unsigned i = 0; i < kGroup; ++i) {
      ThreadAccess one = access;
      one.thread += i;
      if ((active >> i & 1U) != 0)
        races += note_load(lanewise.shadow.span().from(at + i), one, clocks_).is_none() ? 0 : 1;
    }
    REQUIRE((is_noted ? races == 0 : true));
    const bool is_noted_with_all = note_group_load(all.shadow.span().from(at), load, lanes, clocks_);
    REQUIRE(is_noted == is_noted_with_all);
    for (unsigned i = 0; i < kGranules; ++i) {
      const bool is_active = i >= at && i < at + kGroup && (active >> (i - at) & 1U) != 0;
      const ShadowSpan got = part.shadow.span().from(i), before = quick.shadow.span().from(i);
      if (!is_active) REQUIRE((*got.read == *before.read && *got.other_read == *before.other_read));
      if (is_active && is_noted) REQUIRE(can_follow(got, before, load, lane + (i - at)));
    }
  }

  /// Whether a granule's record after a lane's load holds the lane, or two warps' readers.
  static bool can_follow(const ShadowSpan& got, const ShadowSpan& before, const vgpu::WarpLoad& load,
                         unsigned lane) {
    const std::int32_t key = load.key + static_cast<std::int32_t>(lane);
    const auto is_own = [&](std::int32_t read) { return (read & ~AccessKey::kMany) == key; };
    const bool has_two_warps = *before.read >= load.unsettled && (*before.read & AccessKey::kMany) != 0;
    return is_own(*got.read) || is_own(*got.other_read) || has_two_warps;
  }

  /// Several groups at a time leave what one after another leaves.
  void uniform_load(const ThreadAccess& access, unsigned at) {
    const unsigned lane = access.thread % BlockClocks::kLanes;
    const unsigned groups = BlockClocks::kLanes / kGroup - lane / kGroup;
    ThreadAccess first = access;
    first.thread -= lane;
    const vgpu::WarpLoad load = vgpu::warp_load(first, clocks_, false);
    const unsigned last = lane + groups * kGroup - 1 - below(kGroup - 1);
    for (unsigned i = 0; i < groups; ++i)
      note_uniform_load(slow.shadow.span().from(at), load, lane + i * kGroup,
                        std::min(lane + (i + 1) * kGroup - 1, last), clocks_);
    note_uniform_load(quick.shadow.span().from(at), load, lane, last, clocks_);
  }

  void store_lanes(State& state, ThreadAccess access, unsigned at, unsigned changed) {
    for (unsigned i = 0; i < kGroup; ++i, ++access.thread) {
      const ShadowSpan granule = state.shadow.span().from(at + i);
      state.races += note_store(granule, access, clocks_, (changed >> i & 1U) != 0).is_none() ? 0 : 1;
    }
  }

  void group_store(ThreadAccess access, unsigned at) {
    const unsigned changed = below(1U << kGroup);
    if (below(4) == 0) access.flags = AccessKey::kVolatile;
    store_lanes(slow, access, at, changed);
    const bool is_quick = note_group_store(quick.shadow.span().from(at), access, 0, clocks_, changed);
    if (!is_quick) store_lanes(quick, access, at, changed);
    quick_steps += is_quick ? 1 : 0;
  }

  void lane_store(const ThreadAccess& access, unsigned at) {
    const bool changes = below(2) == 0;
    slow.races += note_store(slow.shadow.span().from(at), access, clocks_, changes).is_none() ? 0 : 1;
    const ShadowSpan granule = quick.shadow.span().from(at);
    const bool is_quick = note_quiet_store(granule, access, clocks_, changes);
    if (!is_quick) quick.races += note_store(granule, access, clocks_, changes).is_none() ? 0 : 1;
    quick_steps += is_quick ? 1 : 0;
  }

  std::mt19937 random_;
  BlockClocks clocks_{kWarps};
};

}  // namespace

TEST_CASE("quick records of loads and stores are those of lane after lane") {
  std::size_t quick_steps = 0, ordered_loads = 0, races = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Run run(seed);
    for (unsigned step = 0; step < 200; ++step) {
      run.step();
      const bool are_same = run.slow.contents() == run.quick.contents();
      INFO("seed " << seed << ", step " << step);
      REQUIRE(are_same);
      REQUIRE(run.slow.races == run.quick.races);
    }
    quick_steps += run.quick_steps;
    ordered_loads += run.ordered_loads;
    races += run.slow.races;
  }
  // Both ways occurred.
  CHECK(quick_steps > 1000);
  CHECK(ordered_loads > 1000);
  CHECK(races > 1000);
}

namespace {

/// Random accesses to groups of granules, recorded in keys and in records.
class GroupRun {
 public:
  explicit GroupRun(unsigned seed) : random_(seed) { clocks_.begin_block(); }

  void step() {
    const unsigned kind = below(16), warp = below(kWarps);
    if (kind == 0) return clocks_.meet_at_barrier((1U << kWarps) - 1, true);
    if (kind == 1) return clocks_.meet_in_warp(warp, ~0U, true);
    if (kind == 2) return records_.split(below(kGranules - 3), 3, groups_.shadow.span());
    const ThreadAccess first{warp * BlockClocks::kLanes, 0, false, static_cast<vgpu::SiteIndex>(below(3)),
                             false};
    const std::size_t group = below(kGranules / kGroup);
    if (kind < 7) return load(first, group);
    if (kind < 11) return uniform_load(first, group);
    if (kind < 13) return row_loads(first, group);
    if (kind < 14) return lane_stores(first, group);
    store(first, group);
  }
  /// What granule after granule recorded, and what records and split groups hold.
  bool are_same() {
    records_.split(0, kGranules, groups_.shadow.span());
    return each_.contents() == groups_.contents();
  }

  std::size_t together = 0, apart = 0, lane_stores_together = 0;

 private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  GroupLanes lanes() {
    const unsigned shift = below(GroupLanes::kOneLane + 1), lanes = kGroup >> shift;
    return {lanes * below(BlockClocks::kLanes / lanes), shift};
  }
  ShadowSpan split(std::size_t group) {
    records_.split(group * kGroup, kGroup, groups_.shadow.span());
    return groups_.shadow.span().from(group * kGroup);
  }
  void count(bool is_together) { (is_together ? together : apart) += 1; }

  void load(const ThreadAccess& first, std::size_t group) {
    const vgpu::WarpLoad load = vgpu::warp_load(first, clocks_, false);
    const GroupLanes lanes = this->lanes();
    const bool is_noted = note_group_load(each_.shadow.span().from(group * kGroup), load, lanes, clocks_);
    const bool is_together = records_.note_load(group, load, lanes);
    count(is_together);
    REQUIRE(is_noted == (is_together || note_group_load(split(group), load, lanes, clocks_)));
  }

  /// A loop over some granules; one lane after another loads each of them.
  void row_loads(ThreadAccess access, std::size_t group) {
    const unsigned begin = below(2) * below(kGroup), end = kGroup - below(2) * below(kGroup);
    const unsigned lane = below(BlockClocks::kLanes), step = below(BlockClocks::kLanes), lanes = 1 + below(3);
    std::array<vgpu::SiteIndex, kGroup> sites{};
    for (unsigned at = begin; at < end; ++at) sites[at] = static_cast<vgpu::SiteIndex>(at % 4 / 2);
    const bool waits = below(2) == 0;
    for (unsigned at = begin; at < end; ++at) {
      access.site = sites[at];
      const vgpu::WarpLoad load = vgpu::warp_load(access, clocks_, false);
      for (unsigned i = 0; i < lanes; ++i) {
        const unsigned one = (lane + i * step) % BlockClocks::kLanes;
        waits ? note_row(load, group, one, end - begin, begin, sites)
              : note_uniform(load, group, one, one, 1, at);
      }
      if (waits) break;
    }
  }

  /// A lane's loads of granules by several instructions at a time.
  void note_row(vgpu::WarpLoad load, std::size_t group, unsigned lane, unsigned granules, unsigned at,
                const std::array<vgpu::SiteIndex, kGroup>& sites) {
    const auto note_each = [&](const ShadowSpan& span) {
      bool is_noted = true;
      for (unsigned i = at; i < at + granules; ++i) {
        load.first.site = sites[i];
        is_noted &= note_uniform_load(span.from(i), load, lane, lane, clocks_);
      }
      return is_noted;
    };
    const bool is_noted = note_each(each_.shadow.span().from(group * kGroup));
    const unsigned bits = ((1U << granules) - 1) << at;
    const bool is_together =
        records_.are_known(group, bits, load) ||
        records_.note_uniform_load(group, bits, load, lane, lane, vgpu::EachSite{&sites[at], at});
    count(is_together);
    REQUIRE(is_noted == (is_together || note_each(split(group))));
  }

  void uniform_load(const ThreadAccess& access, std::size_t group) {
    const vgpu::WarpLoad load = vgpu::warp_load(access, clocks_, false);
    // One or several groups of lanes, without some lanes of the last one, or a part of one group; perhaps a
    // single lane.
    const unsigned groups_before = below(4), groups = 1 + below(4 - groups_before);
    const unsigned without = below(kGroup);
    const unsigned first = kGroup * groups_before + (groups == 1 && without > 0 ? below(without) : 0);
    const unsigned last = first + groups * kGroup - 1 - without;
    const unsigned granules = 1U << below(4), at = granules * below(kGroup / granules);
    note_uniform(load, group, first, last, granules, at);
  }

  void note_uniform(const vgpu::WarpLoad& load, std::size_t group, unsigned first, unsigned last,
                    unsigned granules, unsigned at) {
    const auto note_each = [&](const ShadowSpan& span) {
      bool is_noted = true;
      for (unsigned i = at; i < at + granules; ++i)
        is_noted &= note_uniform_load(span.from(i), load, first, last, clocks_);
      return is_noted;
    };
    const bool is_noted = note_each(each_.shadow.span().from(group * kGroup));
    const unsigned bits = ((1U << granules) - 1) << at;
    const bool is_together =
        records_.are_known(group, bits, load) ||
        records_.reads_on(group * kGroup + at, granules, load, first, last) ||
        records_.note_uniform_load(group, bits, load, first, last, vgpu::OneSite{load.first.site});
    count(is_together);
    REQUIRE(is_noted == (is_together || note_each(split(group))));
  }

  /// A column of lanes, perhaps of several warps, stores at one distance; sometimes another lane does.
  void lane_stores(ThreadAccess access, std::size_t group) {
    access.is_store = true;
    const unsigned begin = below(kGroup), distance = 1 + below(3), step = 1 + below(BlockClocks::kLanes);
    access.thread += below(2) * below(BlockClocks::kLanes);
    for (unsigned at = begin; at < begin + 8 * distance; at += distance) {
      if (below(8) == 0) access.site = static_cast<vgpu::SiteIndex>(below(3));
      lane_store(access, group * kGroup + at % kGroup);
      const unsigned next = below(12) == 0 ? below(kWarps * BlockClocks::kLanes) : access.thread + step;
      access.thread = next % (kWarps * BlockClocks::kLanes);
    }
  }

  void lane_store(const ThreadAccess& access, std::size_t granule) {
    const unsigned warp = access.thread / BlockClocks::kLanes;
    const bool changes = below(2) == 0;
    const bool is_noted = note_quiet_store(each_.shadow.span().from(granule), access, clocks_, changes);
    const std::int32_t key = AccessKey(clocks_.now(warp), access.thread, 0).bits();
    const std::int32_t unsettled = AccessKey::first_of(clocks_.settled(warp) + 1);
    const bool is_together = records_.note_lane_store(granule, key, unsettled, access.site, changes);
    count(is_together);
    lane_stores_together += is_together ? 1 : 0;
    if (is_together) {
      REQUIRE(is_noted);
      return;
    }
    split(granule / kGroup);
    REQUIRE(is_noted == note_quiet_store(groups_.shadow.span().from(granule), access, clocks_, changes));
  }

  void store(const ThreadAccess& first, std::size_t group) {
    const GroupLanes lanes = this->lanes();
    ThreadAccess access = first;
    access.thread += lanes.first;
    access.is_store = true;
    const unsigned warp = first.thread / BlockClocks::kLanes, changed = below(1U << kGroup);
    const bool is_noted =
        note_group_store(each_.shadow.span().from(group * kGroup), access, lanes.shift, clocks_, changed);
    const std::int32_t key = AccessKey(clocks_.now(warp), access.thread, 0).bits();
    const std::int32_t unsettled = AccessKey::first_of(clocks_.settled(warp) + 1);
    const bool is_together = records_.note_store(group, key, unsettled, access.site, lanes.shift, changed);
    count(is_together);
    REQUIRE(is_noted ==
            (is_together || note_group_store(split(group), access, lanes.shift, clocks_, changed)));
  }

  std::mt19937 random_;
  BlockClocks clocks_{kWarps};
  State each_, groups_;
  vgpu::PageRecords<kGranules> records_;
};

}  // namespace

TEST_CASE("accesses recorded once for a group are those of granule after granule") {
  std::size_t together = 0, apart = 0, lane_stores_together = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    INFO("seed " << seed);
    GroupRun run(seed);
    for (unsigned step = 0; step < 10 + seed % 30; ++step) run.step();
    REQUIRE(run.are_same());
    together += run.together;
    apart += run.apart;
    lane_stores_together += run.lane_stores_together;
  }
  // Both ways occurred.
  CHECK(together > 1000);
  CHECK(apart > 1000);
  CHECK(lane_stores_together > 1000);
}

}  // namespace quick_records_test
