// Turns the findings of a block checker into facts.
#include <bit>

#include "vgpu/check/access_description.hpp"
#include "vgpu/check/block_checker.hpp"

namespace vgpu::exec {
namespace {

Dim3 coordinates(const Dim3& block, unsigned thread) {
  return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
}

const std::string& file_of(const Program& program, const Origin& origin) {
  static const std::string kUnknown;
  return origin.source.file < program.files.size() ? program.files[origin.source.file] : kUnknown;
}

std::uint64_t key_of(FaultKind kind, SiteIndex site, SiteIndex other) {
  // A SiteIndex has 16 bits.
  return static_cast<std::uint64_t>(kind) << 32U | std::uint64_t{site} << 16U | other;
}

FaultKind race_kind(const Conflict& conflict, const AccessSite& earlier, unsigned thread, ptx::Space space,
                    bool is_lane_conflict) {
  if (is_lane_conflict) return FaultKind::lane_conflict;
  // A site that reads global memory and stores to shared memory is a copy, and the thread did not wait for
  // it.
  const bool is_copy =
      conflict.was_store && space == ptx::Space::shared && earlier.space == ptx::Space::global;
  if (is_copy) return FaultKind::unfinished_copy;
  if (space == ptx::Space::global) return FaultKind::global_race;
  const bool same_warp = conflict.earlier.thread() / kWarpLanes == thread / kWarpLanes;
  return same_warp ? FaultKind::warp_race : FaultKind::shared_race;
}

}  // namespace

Fault describe_access(const Program& program, FaultKind kind, const AccessSite& site) {
  const Origin& origin = program.origins[site.origin];
  Fault fault;
  fault.kind = kind;
  fault.kernel = program.kernel;
  fault.source = origin.source;
  fault.file = file_of(program, origin);
  fault.instruction = origin.spelled;
  fault.is_store = site.is_store;
  fault.access_bytes = site.element_bytes;
  return fault;
}

OtherAccess describe_other(const Program& program, const AccessSite& site, bool is_store) {
  const Origin& origin = program.origins[site.origin];
  OtherAccess other;
  other.source = origin.source;
  other.file = file_of(program, origin);
  other.instruction = origin.spelled;
  other.is_store = is_store;
  return other;
}

Fault BlockChecker::begin_finding(FaultKind kind, const Warp& warp, const AccessSite& site,
                                  const LaneAccess& at) const {
  Fault fault = describe_access(*launch_.program, kind, site);
  fault.block = warp.core->block;
  fault.thread = thread_of(warp, at.lane);
  fault.space = at.space;
  fault.address = at.address;
  if (at.space == ptx::Space::shared) {
    if (const auto* variable = variable_at(launch_.program->shared_variables, at.address)) {
      fault.variable = variable->name;
      fault.variable_offset = at.address - variable->start;
    }
  } else if (const Segment* segment = memory_.near(at.address)) {
    fault.nearest = Fault::Nearest{segment->start, segment->size, 0, segment->ordinal};
  }
  return fault;
}

void BlockChecker::report_race(const Warp& warp, const AccessSite& site, const LaneAccess& at,
                               const Conflict& conflict, bool is_lane_conflict) {
  const unsigned thread = warp.index * kWarpLanes + static_cast<unsigned>(at.lane);
  const FaultKind kind = race_kind(conflict, sites_.site(conflict.site), thread, at.space, is_lane_conflict);
  findings_.add(key_of(kind, site.number, conflict.site), [&] {
    Fault finding = begin_finding(kind, warp, site, at);
    finding.other = describe_other(*launch_.program, sites_.site(conflict.site), conflict.was_store);
    finding.other->block = warp.core->block;
    finding.other->thread = coordinates(launch_.block, conflict.earlier.thread());
    return finding;
  });
}

void BlockChecker::report_stale_read(const Warp& warp, const AccessSite& site, const LaneAccess& at,
                                     AccessKey store, SiteIndex store_site) {
  constexpr FaultKind kKind = FaultKind::stale_read;
  findings_.add(key_of(kKind, site.number, store_site), [&] {
    Fault finding = begin_finding(kKind, warp, site, at);
    constexpr bool kIsStore = true;
    finding.other = describe_other(*launch_.program, sites_.site(store_site), kIsStore);
    finding.other->block = warp.core->block;
    finding.other->thread = coordinates(launch_.block, store.thread());
    return finding;
  });
}

void BlockChecker::report_unfinished_copy(const Warp& warp, const AccessSite& site, const LaneAccess& at,
                                          const CopyUnderWay& copy) {
  constexpr FaultKind kKind = FaultKind::unfinished_copy;
  findings_.add(key_of(kKind, site.number, copy.site), [&] {
    Fault finding = begin_finding(kKind, warp, site, at);
    constexpr bool kIsStore = true;
    finding.other = describe_other(*launch_.program, sites_.site(copy.site), kIsStore);
    finding.other->block = warp.core->block;
    finding.other->thread = coordinates(launch_.block, copy.thread);
    return finding;
  });
}

void BlockChecker::report_overflow(const Warp& warp, const AccessSite& site, const LaneAccess& at,
                                   std::uint64_t lanes) {
  constexpr FaultKind kKind = FaultKind::array_overflow;
  const auto make = [&] {
    Fault finding = begin_finding(kKind, warp, site, at);
    finding.detail = std::exchange(finding.variable, {});
    if (const auto* array = variable_at(launch_.program->shared_variables, site.array_start))
      finding.variable = array->name;
    const std::int64_t before = std::int64_t{site.array_start} - static_cast<std::int64_t>(at.address);
    const std::int64_t after = static_cast<std::int64_t>(at.address + site.bytes()) - site.array_end;
    finding.nearest =
        Fault::Nearest{site.array_start, site.array_end - site.array_start, before > 0 ? -before : after, 0};
    return finding;
  };
  findings_.add(key_of(kKind, site.number, 0), make, lanes);
}

ValueFlow::Label BlockChecker::label_of(std::uint64_t key) {
  const auto [known, is_new] = labels_.try_emplace(key, ValueFlow::Label{});
  if (is_new) known->second = values_.add_label();
  return known->second;
}

void BlockChecker::report_unwritten(const Warp& warp, const Decoded& d, const AccessSite& site,
                                    const LaneAccess& at, std::uint32_t lanes) {
  constexpr FaultKind kKind = FaultKind::uninitialised_read;
  const std::uint64_t key = key_of(kKind, site.number, 0);
  if (site.loads_registers) {
    const ValueFlow::Label label = label_of(key);
    if (site.elements == 1) {
      values_.mark(warp, d.dst, lanes, label);
    } else {
      for (const std::uint32_t reg : launch_.program->list_of(d)) values_.mark(warp, reg, lanes, label);
    }
  }
  const auto make = [&] {
    Fault finding = begin_finding(kKind, warp, site, at);
    finding.is_harmless = site.loads_registers;  // until one of the values is used
    return finding;
  };
  findings_.add(key, make, static_cast<std::uint64_t>(std::popcount(lanes)));
}

void BlockChecker::shuffle(Warp& warp, const Decoded& d, const std::array<int, kWarpLanes>& source,
                           std::uint32_t absent) {
  if (d.dst == kNowhere) return;
  if (warp.core->follows_values) values_.shuffle(warp, d.dst, d.a, source);
  if (absent == 0 || !launch_.checks.uninitialised) return;
  // Sites have numbers of 16 bits, so that the key differs from those of other findings.
  const std::uint64_t key = std::uint64_t{1} << 63U | d.origin;
  const bool is_new = !labels_.contains(key);
  values_.mark(warp, d.dst, absent, label_of(key));
  if (!is_new) return;
  const int lane = std::countr_zero(absent);
  AccessSite site;
  site.origin = d.origin;
  Fault finding = describe_access(*launch_.program, FaultKind::absent_lane, site);
  finding.block = warp.core->block;
  finding.thread = thread_of(warp, lane);
  finding.count = static_cast<std::uint64_t>(std::popcount(absent));
  finding.detail = std::to_string(source[static_cast<unsigned>(lane)]);
  absent_lanes_.emplace_back(key, std::move(finding));
}

std::vector<Fault> BlockChecker::take_findings() {
  for (const auto& [key, label] : labels_)
    if (values_.is_used(label)) findings_.mark_harmful(key);
  for (auto& one : absent_lanes_)
    if (values_.is_used(labels_.at(one.first)))
      findings_.add(
          one.first, [&one] { return std::move(one.second); }, one.second.count);
  return findings_.take();
}

}  // namespace vgpu::exec
