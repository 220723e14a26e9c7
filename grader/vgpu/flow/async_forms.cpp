#include "vgpu/flow/async_forms.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/flow/memory_barriers.hpp"
#include "vgpu/state/async_copies.hpp"

namespace vgpu::exec {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// `follows_arrival`: the lane before has just arrived at the same barrier, so that the warp has nothing new
/// to publish.
void finish(Warp& warp, const PendingCopy& entry, bool follows_arrival) {
  Core& core = *warp.core;
  switch (entry.kind) {
    case PendingCopy::Kind::copy:
      if (core.checker != nullptr) core.checker->end_of_copy(warp, entry);
      std::memcpy(core.shared + entry.to, entry.data.data(), entry.bytes);
      break;
    case PendingCopy::Kind::arrival:
    case PendingCopy::Kind::counted_arrival:
      if (core.checker != nullptr && !follows_arrival) core.checker->publish(warp, entry.to);
      arrive_for_copies(core, entry);
      break;
  }
}

/// Finishes the copies for which `is_there` is true, and every arrival before which its lane has no
/// unfinished copy.
template <class IsThere>
void finish_all(Warp& warp, IsThere is_there) {
  u32 waiting = 0;  // lanes with an unfinished copy
  std::optional<u64> arrived_at;
  const auto is_finished = [&](const PendingCopy& entry, std::size_t index) {
    const u32 lane = 1U << entry.lane;
    const bool done = entry.kind == PendingCopy::Kind::copy ? is_there(entry, index) : (waiting & lane) == 0;
    if (!done) waiting |= lane;
    if (!done) return false;
    finish(warp, entry, entry.kind != PendingCopy::Kind::copy && arrived_at == entry.to);
    arrived_at = entry.kind == PendingCopy::Kind::copy ? std::nullopt : std::optional(entry.to);
    return true;
  };
  auto& pending = warp.copies.pending;
  std::size_t kept = 0;
  for (std::size_t index = 0; index < pending.size(); ++index) {
    if (is_finished(pending[index], index)) continue;
    if (kept != index) pending[kept] = pending[index];
    ++kept;
  }
  pending.resize(kept);
}

bool is_active(const Warp& warp, const PendingCopy& entry) { return (warp.mask >> entry.lane & 1U) != 0; }

const Decoded* commit_group(Warp& warp, const Decoded& d) {
  // `group` counts the groups that a lane has committed. A copy keeps the count at its issue, which is its
  // group.
  for (u32 rest = warp.mask; rest != 0; rest &= rest - 1) ++warp.copies.group[std::countr_zero(rest)];
  return &d + 1;
}

/// Waits until at most open_groups(d) of the thread's latest groups are under way.
const Decoded* wait_group(Warp& warp, const Decoded& d) {
  finish_all(warp, [&](const PendingCopy& entry, std::size_t) {
    const u32 open = warp.copies.group[entry.lane];
    return is_active(warp, entry) && entry.group < open && open - entry.group > open_groups(d);
  });
  return &d + 1;
}

const Decoded* wait_all(Warp& warp, const Decoded& d) {
  finish_all(warp, [&](const PendingCopy& entry, std::size_t) { return is_active(warp, entry); });
  return &d + 1;
}

/// cp.async.mbarrier.arrive
template <PendingCopy::Kind kKind>
const Decoded* arrive_after_copies(Warp& warp, const Decoded& d) {
  NamedBarriers barriers(warp, d);
  for (u32 rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto barrier = barriers.of(lane);
    if (!barrier) return nullptr;
    PendingCopy entry{.to = *barrier, .lane = static_cast<std::uint8_t>(lane), .kind = kKind};
    // Without .noinc, the instruction itself adds one to the pending count, which the arrival takes away
    // again (PTX ISA, "cp.async.mbarrier.arrive").
    if (kKind == PendingCopy::Kind::counted_arrival) expect_one_more(*warp.core, *barrier);
    warp.copies.pending.push_back(entry);
  }
  return &d + 1;
}

}  // namespace

u32 source_bytes(Warp& warp, const Decoded& copy, int lane, u32 most) {
  const auto& list = warp.core->program().list_of(copy);
  const bool is_ignored = list[kIgnored] != kNowhere && (warp.predicate(list[kIgnored]) >> lane & 1U) != 0;
  if (is_ignored) return 0;
  if (list[kSourceBytes] == kNowhere) return most;
  return std::min(reinterpret_cast<const u32*>(warp.file + list[kSourceBytes])[lane], most);
}

void finish_copies_before(Core& core, std::uint64_t barrier) {
  for (Warp& warp : core.warps) {
    if (warp.copies.pending.empty()) continue;
    // Copies after the lane's last arrival at this barrier stay unfinished.
    std::array<std::size_t, kWarpLanes> last_arrival{};
    const auto& pending = warp.copies.pending;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (pending[i].kind != PendingCopy::Kind::copy && pending[i].to == barrier)
        last_arrival[pending[i].lane] = i;
    }
    finish_all(warp,
               [&](const PendingCopy& entry, std::size_t index) { return index < last_arrival[entry.lane]; });
  }
}

void add_async_forms(FormTable& table) {
  const auto add = [&](const char* name, Handler handler, Shape shape) {
    table[name] = {.handler = handler, .counted_as = InstructionClass::memory, .shape = shape};
  };
  add("cp.async.commit_group", commit_group, Shape::wait_group);
  add("cp.async.wait_group", wait_group, Shape::wait_group);
  add("cp.async.wait_all", wait_all, Shape::wait_group);
  add("cp.async.mbarrier.arrive.shared.b64", arrive_after_copies<PendingCopy::Kind::counted_arrival>,
      Shape::memory_barrier);
  add("cp.async.mbarrier.arrive.b64", arrive_after_copies<PendingCopy::Kind::counted_arrival>,
      Shape::memory_barrier);
  add("cp.async.mbarrier.arrive.noinc.shared.b64", arrive_after_copies<PendingCopy::Kind::arrival>,
      Shape::memory_barrier);
  add("cp.async.mbarrier.arrive.noinc.b64", arrive_after_copies<PendingCopy::Kind::arrival>,
      Shape::memory_barrier);
}

}  // namespace vgpu::exec
