// The quick ways to record accesses in a shadow leave the same keys as recording lane after lane does, and
// leave every race to the slow way.
#include <array>
#include <random>
#include <vector>

#include "catch.hpp"
#include "vgpu/check/group_load.hpp"
#include "vgpu/check/page_records.hpp"
#include "vgpu/check/race_shadow.hpp"

namespace quick_records_test {

using vgpu::AccessKey;
using vgpu::BlockClocks;
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
    const unsigned kind = below(16);
    const unsigned warp = below(kWarps), lane = kGroup * below(4), at = below(kGranules - kGroup);
    ThreadAccess access{warp * BlockClocks::kLanes + lane, 0, false, static_cast<vgpu::SiteIndex>(below(50)),
                        false};
    if (kind == 0) return clocks_.meet_at_barrier((1U << kWarps) - 1, true);
    if (kind == 1) return clocks_.meet_in_warp(warp, ~0U, true);
    if (kind == 2) return atomic(access, at);
    if (kind < 7) return group_load(access, at);
    if (kind < 9) return uniform_load(access, at);
    access.is_store = true;
    if (kind < 13) return group_store(access, at);
    lane_store(access, at);
  }

  State slow, quick;
  std::size_t quick_steps = 0;

 private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  void atomic(ThreadAccess access, unsigned at) {
    access.is_store = true;
    access.flags = AccessKey::kAtomic;
    for (State* state : {&slow, &quick}) note_store(state->shadow.span().from(at), access, clocks_, true);
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

  /// Several groups at a time leave what one after another leaves.
  void uniform_load(const ThreadAccess& access, unsigned at) {
    const unsigned lane = access.thread % BlockClocks::kLanes;
    const unsigned groups = BlockClocks::kLanes / kGroup - lane / kGroup;
    ThreadAccess first = access;
    first.thread -= lane;
    const vgpu::WarpLoad load = vgpu::warp_load(first, clocks_, false);
    for (unsigned i = 0; i < groups; ++i)
      note_uniform_load(slow.shadow.span().from(at), load, lane + i * kGroup, 1, clocks_);
    note_uniform_load(quick.shadow.span().from(at), load, lane, groups, clocks_);
  }

  void store_lanes(State& state, ThreadAccess access, unsigned at, unsigned changed) {
    for (unsigned i = 0; i < kGroup; ++i, ++access.thread) {
      const ShadowSpan granule = state.shadow.span().from(at + i);
      state.races += note_store(granule, access, clocks_, (changed >> i & 1U) != 0).is_none() ? 0 : 1;
    }
  }

  void group_store(const ThreadAccess& access, unsigned at) {
    const unsigned changed = below(1U << kGroup);
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
  std::size_t quick_steps = 0, races = 0;
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
    races += run.slow.races;
  }
  // Both ways occurred.
  CHECK(quick_steps > 1000);
  CHECK(races > 1000);
}

TEST_CASE("readers recorded once for a group are those of granule after granule") {
  std::mt19937 random(7);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  std::size_t together = 0, apart = 0;
  for (unsigned round = 0; round < 300; ++round) {
    State each, groups;
    vgpu::PageRecords<kGranules> readers;
    BlockClocks clocks(kWarps);
    clocks.begin_block();
    for (unsigned step = 0; step < 40; ++step) {
      const unsigned kind = below(12), warp = below(kWarps), lane = kGroup * below(4);
      const unsigned at = kGroup * below(kGranules / kGroup);
      if (kind == 0) {
        clocks.meet_at_barrier((1U << kWarps) - 1, true);
      } else if (kind == 1) {
        clocks.meet_in_warp(warp, ~0U, true);
      } else if (kind == 2) {  // an access to a few granules
        readers.split(at + 2, 3, groups.shadow.span());
      } else {
        const ThreadAccess first{warp * BlockClocks::kLanes, 0, false,
                                 static_cast<vgpu::SiteIndex>(below(50)), false};
        const vgpu::WarpLoad load = vgpu::warp_load(first, clocks, false);
        REQUIRE(note_group_load(each.shadow.span().from(at), load, {lane, 0}, clocks));
        const bool is_together = readers.note_load(at / kGroup, load, {lane, 0});
        (is_together ? together : apart) += 1;
        if (is_together) continue;
        readers.split(at, kGroup, groups.shadow.span());
        REQUIRE(note_group_load(groups.shadow.span().from(at), load, {lane, 0}, clocks));
      }
    }
    readers.split(0, kGranules, groups.shadow.span());
    INFO("round " << round);
    REQUIRE(each.contents() == groups.contents());
  }
  CHECK(together > 1000);
  CHECK(apart > 1000);
}

}  // namespace quick_records_test
