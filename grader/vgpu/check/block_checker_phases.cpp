// BlockChecker: accesses to shared memory that repeat those of an earlier phase (repeated_phases.hpp).
#include <algorithm>
#include <bit>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/lane_groups.hpp"
#include "vgpu/races/group_load.hpp"

namespace vgpu::exec {
namespace {

ThreadAccess lane_0(const PhaseAccess& access) {
  return {.thread = access.warp * unsigned{kWarpLanes}, .is_store = access.is_store, .site = access.site};
}

}  // namespace

bool BlockChecker::repeats_phase(const Warp& warp, const AccessSite& site, const Addresses& offsets,
                                 std::uint32_t lanes) {
  if (phases_.is_off()) return false;
  const std::uint32_t bytes = site.bytes();
  const std::uint64_t base = offsets[static_cast<unsigned>(std::countr_zero(lanes))];
  LaneOffsets access{.mask = lanes};
  bool is_in_phase = can_be_in_phase(warp, site, offsets, lanes);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    is_in_phase &= offsets[lane] + bytes <= launch_.shared_bytes && is_aligned(offsets[lane], bytes);
    access.from[lane] = static_cast<std::uint32_t>(offsets[lane] - base);
  }
  constexpr std::uint32_t kNotLearned = 0;
  if (is_in_phase) return step_in_phase(phase_access(warp, site, base, kNotLearned), access);
  stop_repeating();
  return false;
}

/// While no fence has followed the last barrier of the whole block, volatile accesses order nothing.
bool BlockChecker::can_be_in_phase(const Warp& warp, const AccessSite& site, const Addresses& offsets,
                                   std::uint32_t lanes) const {
  if (site.is_atomic || site.bytes() > kWidestAccess) return false;
  if (!site.is_strong) return true;
  bool in_groups = phase_changes_ == clocks_.changes() && has_strong_groups(warp, site);
  for (unsigned first = 0; first < kWarpLanes && in_groups; first += kGroup) {
    const std::uint32_t group = lanes >> first & 0xFFU;
    in_groups =
        group == 0 || (group == 0xFFU && shape_of(offsets, first, site.bytes()) == LaneShape::side_by_side);
  }
  return in_groups;
}

bool BlockChecker::meets_in_phase(unsigned warp, std::uint32_t lanes, bool everybody) {
  if (!phases_.has_begun() || phase_changes_ != clocks_.changes()) return false;
  const PhaseAccess meeting = PhaseAccess::meeting(warp, lanes, everybody);
  if (!phases_.repeats(meeting)) step_in_phase(meeting, {});
  return true;
}

bool BlockChecker::step_in_phase(const PhaseAccess& access, const LaneOffsets& lanes) {
  if (phases_.step(access, lanes, finds_unwritten())) return true;
  record_skipped();
  return false;
}

void BlockChecker::record_skipped() {
  if (!phases_.has_to_record()) return;
  const RepeatedPhases::Skipped skipped = phases_.take_skipped();
  for (const std::uint32_t granule : skipped.read) deferred_.mark_read<false>(granule);
  for (const PhaseAccess& access : skipped.earlier) put_settled(access);
  const auto is_meeting = [](const PhaseAccess& access) { return access.is_meeting(); };
  const bool have_met = std::any_of(skipped.present.begin(), skipped.present.end(), is_meeting);
  // The accesses get the clocks at which they happened.
  if (have_met) clocks_.take_back_meetings();
  for (const PhaseAccess& access : skipped.present) note_skipped(access);
  if (have_met) phase_changes_ = clocks_.changes();
}

void BlockChecker::put_settled(const PhaseAccess& access) {
  const LaneOffsets& lanes = phases_.lanes_of(access);
  const ShadowSpan all = shared_shadow_.span();
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::int32_t key = AccessKey(clocks_.start(), access.warp * unsigned{kWarpLanes} + lane, 0).bits();
    const std::uint32_t first = (access.base + lanes.from[lane]) / kWordBytes;
    for (std::uint32_t granule = first; granule < first + access.bytes / kWordBytes; ++granule) {
      (access.is_store ? all.write : all.read)[granule] = key;
      (access.is_store ? all.write_site : all.read_site)[granule] = access.site;
    }
  }
}

void BlockChecker::note_skipped(const PhaseAccess& access) {
  if (access.is_meeting()) {
    note_deferred();
    return clocks_.meet_in_warp(access.warp, access.base, access.is_store);
  }
  const AccessSite& site = sites_.site(access.site);
  const LaneOffsets& lanes = phases_.lanes_of(access);
  Addresses offsets{};
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) offsets[lane] = access.base + lanes.from[lane];
  if (access.is_store ? !stores_elsewhere(site, offsets, lanes.mask) : !defer_skipped(access, site, offsets))
    note_deferred();
  else if (!access.is_store)
    return;
  for (unsigned first = 0; first < kWarpLanes; first += kGroup) {
    const std::uint32_t group = 0xFFU << first;
    const bool is_noted = (lanes.mask & group) == group && note_skipped_group(access, offsets, first);
    if (!is_noted) note_skipped_lanes(access, offsets, lanes.mask & group);
  }
}

/// As shared_load(); other loads do not wait.
bool BlockChecker::defer_skipped(const PhaseAccess& access, const AccessSite& site,
                                 const Addresses& offsets) {
  if (site.is_strong || site.elements != 1 || site.space != ptx::Space::shared || !deferred_.has_room())
    return false;
  const std::uint32_t mask = phases_.lanes_of(access).mask;
  const auto have_shape = [&](LaneShape shape) {
    bool holds = mask == kFullMask;
    for (unsigned first = 0; first < kWarpLanes && holds; first += kGroup)
      holds = shape_of(offsets, first, access.bytes) == shape;
    return holds;
  };
  DeferredLoad load{.first = lane_0(access), .mask = mask, .per_lane = access.bytes / kWordBytes};
  if (have_shape(LaneShape::side_by_side)) load.pattern = DeferredLoad::Pattern::side_by_side;
  if (have_shape(LaneShape::uniform)) load.pattern = DeferredLoad::Pattern::uniform;
  DeferredLoads::Granules granules{};
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    granules[lane] = static_cast<std::uint32_t>(offsets[lane]) / kWordBytes;
  if (load.pattern != DeferredLoad::Pattern::scattered)
    for (unsigned group = 0; group < load.starts.size(); ++group)
      load.starts[group] = granules[group * kGroup];
  return access.bytes == kWordBytes ? defer(load, granules).is_settled : defer_wide(load);
}

bool BlockChecker::note_skipped_group(const PhaseAccess& access, const Addresses& offsets, unsigned first) {
  const LaneShape shape = shape_of(offsets, first, access.bytes);
  if (shape == LaneShape::scattered || (access.is_store && shape == LaneShape::uniform)) return false;
  const bool is_strong = sites_.site(access.site).is_strong;
  ThreadAccess one = lane_0(access);
  if (is_strong) one.flags = AccessKey::kVolatile;
  const WarpLoad load = warp_load(one, clocks_, false);
  const ShadowSpan at = shared_shadow_.span().from(offsets[first] / kWordBytes);
  const LaneGroups groups(first, access.bytes / kWordBytes);
  // As note_shared_load(): then the group before represents this one.
  const bool is_represented =
      access.bytes == kWordBytes && first != 0 && offsets[first] == offsets[first - 1];
  for (unsigned i = 0; i < groups.count(); ++i) {
    const GroupLanes lanes = groups.lanes(i);
    const ShadowSpan group = at.from(std::size_t{i} * kGroup);
    one.thread = load.first.thread + lanes.first;
    const bool is_noted =
        access.is_store ? note_group_store(group, one, lanes.shift, clocks_, AllGranules::bits)
        : shape == LaneShape::side_by_side
            ? note_shared_group_load(group, load, lanes)
            : is_represented || note_uniform_load(at.from(i), load, first, first + kGroup - 1, clocks_);
    if (!is_noted) return false;
  }
  if (is_strong) synchronise_group(access.warp, sites_.site(access.site), offsets[first]);
  return true;
}

void BlockChecker::note_skipped_lanes(const PhaseAccess& access, const Addresses& offsets,
                                      std::uint32_t lanes) {
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    ThreadAccess one = lane_0(access);
    one.thread += lane;
    const ShadowSpan at = shared_shadow_.span().from(offsets[lane] / kWordBytes);
    constexpr bool kChanges = true;  // of no interest in shared memory once the store does not race
    for (unsigned i = 0; i < access.bytes / kWordBytes; ++i) {
      const AccessKey write(at.write[i]);
      one.reads_back = write.thread() == one.thread && write.clock() > clocks_.settled(access.warp);
      access.is_store ? static_cast<void>(note_quiet_store(at.from(i), one, clocks_, kChanges))
                      : note_read(at.from(i), one, clocks_);
    }
  }
}

}  // namespace vgpu::exec
