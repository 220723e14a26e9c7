// Turns the findings of a block checker into facts.
#include <algorithm>
#include <bit>
#include <string>

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

/// One bit per byte.
std::uint32_t all_bytes(std::uint32_t bytes) {
  return bytes >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bytes) - 1;
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
  const std::uint64_t key = key_of(kind, site.number, conflict.site);
  findings_.add(key, [&] {
    Fault finding = begin_finding(kind, warp, site, at);
    finding.is_harmless = true;  // until one is not
    finding.other = describe_other(*launch_.program, sites_.site(conflict.site), conflict.was_store);
    finding.other->block = warp.core->block;
    finding.other->thread = coordinates(launch_.block, conflict.earlier.thread());
    return finding;
  });
  if (!conflict.is_harmless) findings_.mark_harmful(key);
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
  stop_repeating();
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

ValueFlow::Label BlockChecker::label_of(std::uint64_t key, const ValueFlow::Copying& copying) {
  leave_block();
  const auto [known, is_new] = labels_.try_emplace(key, ValueFlow::Label{});
  if (is_new) known->second = values_.add_label(copying);
  return known->second;
}

template <class MakeFault>
void BlockChecker::add_pending(std::uint64_t key, MakeFault make_fault, std::uint64_t count) {
  const auto known =
      std::find_if(pending_.begin(), pending_.end(), [&](const auto& one) { return one.first == key; });
  if (known != pending_.end()) {
    known->second.count += count;
    return;
  }
  pending_.emplace_back(key, make_fault());
  pending_.back().second.count = count;
}

void BlockChecker::mark_unwritten(const Warp& warp, const Decoded& d, const AccessSite& site,
                                  std::uint32_t lanes, std::uint32_t bytes, ValueFlow::Label label) {
  for (std::uint32_t element = 0; element < site.elements; ++element) {
    const std::uint32_t reg = site.elements == 1 ? d.dst : launch_.program->list_of(d)[element];
    std::uint64_t bits = 0;
    for (std::uint32_t i = 0; i < site.element_bytes; ++i)
      if ((bytes >> (element * site.element_bytes + i) & 1U) != 0) bits |= std::uint64_t{0xFF} << 8 * i;
    // The load may extend the sign.
    const bool has_sign = bits >> (8 * site.element_bytes - 1) != 0;
    if (has_sign) bits |= ~all_bits(site.element_bytes);
    if (bits != 0) values_.mark(warp, reg, lanes, label, bits);
  }
}

std::vector<bool> BlockChecker::written_words(std::uint64_t offset) {
  const auto* array = variable_at(launch_.program->shared_variables, offset);
  const bool is_of_words = array != nullptr && array->size_bytes % kWordBytes == 0 &&
                           array->start % kWordBytes == 0 && sites_.shared_granule == kWordBytes;
  if (!is_of_words) return {};
  const std::int32_t* keys = shared_shadow_.span().write + array->start / kWordBytes;
  std::vector<bool> written(array->size_bytes / kWordBytes);
  for (std::size_t i = 0; i < written.size(); ++i) written[i] = keys[i] >= oldest_write();
  return written;
}

/// A word, a vector or a structure of which only a part is written is often read as a whole, or its padding
/// byte by byte: it is reported only if the unwritten part is used. Elsewhere than in registers, only
/// computing with it counts.
void BlockChecker::report_unwritten(const Warp& warp, const Decoded& d, const AccessSite& site,
                                    const LaneAccess& at, std::uint32_t lanes, std::uint32_t bytes) {
  constexpr FaultKind kKind = FaultKind::uninitialised_read;
  const Program& program = *launch_.program;
  if (at.space == ptx::Space::shared && at.address >= program.reserved_start &&
      at.address < program.reserved_end)
    return;
  const bool is_part =
      bytes != all_bytes(site.bytes()) || (site.bytes() < kWordBytes && is_part_of_written(at));
  if (is_part && !site.loads_registers && (!site.is_atomic || site.is_exchange)) return;
  const std::uint64_t key = key_of(kKind, site.number, is_part ? 1 : 0);
  if (site.loads_registers)
    mark_unwritten(warp, d, site, lanes, bytes, label_of(key, {is_part, site.element_bytes}));
  const auto make = [&] {
    LaneAccess first = at;  // the first element with an unwritten byte
    const auto byte = static_cast<std::uint32_t>(std::countr_zero(bytes));
    first.address += byte / site.element_bytes * site.element_bytes;
    Fault finding = begin_finding(kKind, warp, site, first);
    const std::uint32_t of_element = bytes >> byte / site.element_bytes * site.element_bytes;
    const bool is_whole = (~of_element & all_bytes(site.element_bytes)) == 0;
    if (!is_whole) finding.detail = std::to_string(byte % site.element_bytes);
    if (at.space == ptx::Space::shared) finding.written_words = written_words(at.address);
    return finding;
  };
  const auto count = static_cast<std::uint64_t>(std::popcount(lanes));
  if (is_part && site.loads_registers) return add_pending(key, make, count);
  const auto make_until_used = [&] {
    Fault finding = make();
    finding.is_harmless = site.loads_registers;  // until one of the values is used
    return finding;
  };
  findings_.add(key, make_until_used, count);
}

void BlockChecker::watch_unset_registers(const Warp& warp) {
  if (!launch_.checks.uninitialised) return;
  for (const Program::UnsetRegister& one : launch_.program->unset) {
    // Differs from the keys of shuffles, too.
    const std::uint64_t key = std::uint64_t{1} << 62U | one.origin;
    // A member of a structure is copied with the others.
    values_.mark(warp, one.place, kFullMask, label_of(key, {.is_allowed = true, .follows_results = true}));
    warp.core->follows_values = true;
    if (warp.index != 0) continue;
    AccessSite site;
    site.origin = one.origin;
    Fault finding = describe_access(*launch_.program, FaultKind::unset_variable, site);
    finding.block = warp.core->block;
    add_pending(
        key, [&] { return std::move(finding); }, 1);
  }
}

/// The finding is that of a register without a value: both are local variables of the source.
void BlockChecker::report_unwritten_local(const Warp& warp, const Decoded& d, const AccessSite& site,
                                          int lane, std::uint64_t bytes) {
  if (!site.loads_registers) return;
  // Differs from the keys of registers and of shuffles, too.
  const std::uint64_t key = std::uint64_t{3} << 62U | site.origin;
  const ValueFlow::Label label = label_of(key, {.is_allowed = true, .follows_results = true});
  mark_unwritten(warp, d, site, 1U << static_cast<unsigned>(lane), static_cast<std::uint32_t>(bytes), label);
  const auto make = [&] {
    Fault finding = describe_access(*launch_.program, FaultKind::unset_variable, site);
    finding.block = warp.core->block;
    finding.thread = thread_of(warp, lane);
    return finding;
  };
  add_pending(key, make, 1);
}

void BlockChecker::shuffle(Warp& warp, const Decoded& d, const std::array<int, kWarpLanes>& source,
                           std::uint32_t absent) {
  if (d.dst == kNowhere) return;
  if (warp.core->follows_values) values_.shuffle(warp, d.dst, d.a, source, absent);
  if (absent == 0 || !launch_.checks.uninitialised) return;
  // Sites have numbers of 16 bits, so that the key differs from those of other findings.
  const std::uint64_t key = std::uint64_t{1} << 63U | d.origin;
  values_.mark(warp, d.dst, absent, label_of(key, {}));
  const auto make = [&] {
    const int lane = std::countr_zero(absent);
    AccessSite site;
    site.origin = d.origin;
    Fault finding = describe_access(*launch_.program, FaultKind::absent_lane, site);
    finding.block = warp.core->block;
    finding.thread = thread_of(warp, lane);
    finding.detail = std::to_string(source[static_cast<unsigned>(lane)]);
    return finding;
  };
  add_pending(key, make, static_cast<std::uint64_t>(std::popcount(absent)));
}

void BlockChecker::parted_barriers(const Warp& warp, const Decoded& d, const Warp& other,
                                   const Decoded& other_d) {
  constexpr FaultKind kKind = FaultKind::parted_barriers;
  // The keys of other findings have no kind here.
  const std::uint64_t key =
      static_cast<std::uint64_t>(kKind) << 56U | std::uint64_t{d.origin} << 28U | other_d.origin;
  findings_.add(key, [&] {
    AccessSite site, other_site;
    site.origin = d.origin;
    other_site.origin = other_d.origin;
    Fault finding = describe_access(*launch_.program, kKind, site);
    finding.block = warp.core->block;
    finding.thread = thread_of(warp, std::countr_zero(warp.live));
    finding.other = describe_other(*launch_.program, other_site, false);
    finding.other->block = finding.block;
    finding.other->thread = thread_of(other, std::countr_zero(other.live));
    return finding;
  });
}

std::vector<Fault> BlockChecker::take_findings() {
  for (const auto& [key, label] : labels_)
    if (values_.is_used(label)) findings_.mark_harmful(key);
  for (auto& one : pending_)
    if (values_.is_used(labels_.at(one.first)))
      findings_.add(
          one.first, [&one] { return std::move(one.second); }, one.second.count);
  std::vector<Fault> findings = findings_.take();
  if (!findings.empty() && blocks_.is_listing()) leave_block();
  return findings;
}

}  // namespace vgpu::exec
