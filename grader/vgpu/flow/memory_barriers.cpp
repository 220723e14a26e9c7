#include "vgpu/flow/memory_barriers.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "vgpu/analysis/layout.hpp"
#include "vgpu/check/block_checker.hpp"
#include "vgpu/flow/async_forms.hpp"
#include "vgpu/flow/divergence.hpp"
#include "vgpu/flow/waiting.hpp"
#include "vgpu/state/access.hpp"

namespace vgpu::exec {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kMaxCount = (1U << 20U) - 1;

/// After this many failed tests in a row, the block is given up: no thread of it can complete the phase. The
/// number only leaves room for loops that give up themselves, after many attempts or some time.
constexpr u64 kMaxFailedTests = u64{1} << 20U;

/// The state. Packed from the lowest bit: 20 bits for the arrivals that this phase still expects, 20 for
/// those that later phases expect, 21 (signed) for the bytes still expected, two that mark an initialised
/// barrier, and the phase. (The layout on hardware is undocumented; the limits are those of PTX
/// ISA 9.7.13.15.)
struct Barrier {
  u32 missing = 0;
  u32 expected = 0;
  std::int32_t bytes = 0;
  bool phase = false;

  static constexpr u64 kInitialised = 1;  // differs from zeros and from poison

  static std::optional<Barrier> unpacked(u64 word) {
    if ((word >> 61U & 3U) != kInitialised) return std::nullopt;
    Barrier barrier;
    barrier.missing = static_cast<u32>(word) & kMaxCount;
    barrier.expected = static_cast<u32>(word >> 20U) & kMaxCount;
    barrier.bytes = static_cast<std::int32_t>(static_cast<std::int64_t>(word << 3U) >> 43);
    barrier.phase = word >> 63U != 0;
    return barrier;
  }
  /// Adds in the arithmetic of the machine: kernels choose the operand, and sums can wrap around.
  void add_bytes(u32 operand) { bytes = static_cast<std::int32_t>(static_cast<u32>(bytes) + operand); }
  u64 packed() const {
    assert(missing <= kMaxCount && expected <= kMaxCount);  // larger counts overwrite other fields
    const u64 low = u64{missing} | u64{expected} << 20U;
    const u64 high = static_cast<u64>(static_cast<u32>(bytes) & 0x1FFFFFU) << 40U;
    return low | high | kInitialised << 61U | u64{phase} << 63U;
  }
  void end_phase_if_complete() {
    // PTX ISA, "Phase Completion of the mbarrier object": both counts must be 0.
    if (missing != 0 || bytes != 0) return;
    phase = !phase;
    missing = expected;
  }
};

Barrier load(const Core& core, u64 at) {
  u64 word = 0;
  std::memcpy(&word, core.shared + at, sizeof word);
  return Barrier::unpacked(word).value_or(Barrier{});
}
void store(Core& core, u64 at, const Barrier& barrier) {
  const u64 word = barrier.packed();
  std::memcpy(core.shared + at, &word, sizeof word);
  core.failed_tests = 0;
}

template <class T>
const T* lanes_at(const Warp& warp, u32 offset) {
  return reinterpret_cast<const T*>(warp.file + offset);
}
u32 operand_or(const Warp& warp, u32 offset, int lane, u32 otherwise) {
  return offset == kNowhere ? otherwise : lanes_at<u32>(warp, offset)[lane];
}

/// The address that the lane names, as an offset in shared memory.
u64 address_of(const Warp& warp, const Decoded& d, int lane) {
  const AddressOption option = AddressOption::of(d);
  const u64 base = option.is_wide ? lanes_at<u64>(warp, d.a)[lane] : lanes_at<u32>(warp, d.a)[lane];
  return base + static_cast<u64>(std::int64_t{d.offset}) - (option.is_generic ? kSharedWindow : 0);
}

Addresses addresses_of(const Warp& warp, const Decoded& d) {
  Addresses addresses{};
  for (int lane = 0; lane < kWarpLanes; ++lane) addresses[lane] = address_of(warp, d, lane);
  return addresses;
}

/// Like barrier_word(), with a fault where that returns nullopt.
std::optional<u64> word_of(Warp& warp, const Decoded& d, int lane) {
  const auto at = barrier_word(warp, d, lane);
  if (!at)
    raise_window_fault(warp, d, addresses_of(warp, d), sizeof(u64), true, ptx::Space::shared,
                       warp.core->launch->shared_bytes);
  return at;
}

const Decoded* refuse(Warp& warp, const Decoded& d, int lane, std::string why) {
  raise(warp, d, FaultKind::invalid_barrier, lane, 1);
  warp.core->fault.detail = std::move(why);
  return nullptr;
}

/// As NamedBarriers::of(), of one lane.
std::optional<u64> barrier_of(Warp& warp, const Decoded& d, int lane) {
  const auto at = word_of(warp, d, lane);
  if (!at) return std::nullopt;
  u64 word = 0;
  std::memcpy(&word, warp.core->shared + *at, sizeof word);
  if (Barrier::unpacked(word)) return at;
  refuse(warp, d, lane, fmt::format("no mbarrier was initialised at byte {} of shared memory", *at));
  return std::nullopt;
}

const Decoded* initialise(Warp& warp, const Decoded& d) {
  for (u32 rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = word_of(warp, d, lane);
    if (!at) return nullptr;
    const u32 count = operand_or(warp, d.b, lane, 0);
    if (count == 0 || count > kMaxCount)
      return refuse(
          warp, d, lane,
          fmt::format("an mbarrier is initialised for {} arrivals; 1 to {} are possible", count, kMaxCount));
    store(*warp.core, *at, {.missing = count, .expected = count});
  }
  return &d + 1;
}

const Decoded* invalidate(Warp& warp, const Decoded& d) {
  for (u32 rest = warp.mask; rest != 0; rest &= rest - 1) {
    const auto at = barrier_of(warp, d, std::countr_zero(rest));
    if (!at) return nullptr;
    // Without kInitialised, the word is not a barrier.
    std::memset(warp.core->shared + *at, 0, sizeof(u64));
  }
  return &d + 1;
}

enum class Drop : bool { no, yes };
enum class Expect : bool { nothing, bytes };

/// mbarrier.arrive, arrive_drop, arrive.expect_tx: the old state goes to the destination.
template <Drop kDrop, Expect kExpect>
const Decoded* arrive(Warp& warp, const Decoded& d) {
  NamedBarriers barriers(warp, d);
  for (u32 rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = barriers.of(lane);
    if (!at) return nullptr;
    Barrier barrier = load(*warp.core, *at);
    const u64 before = barrier.packed();
    const u32 operand = operand_or(warp, d.b, lane, 1);
    const u32 arrivals = kExpect == Expect::bytes ? 1 : operand;
    if (kExpect == Expect::bytes) barrier.add_bytes(operand);
    if (arrivals > barrier.missing)
      return refuse(
          warp, d, lane,
          fmt::format("one thread makes {} arrivals at an mbarrier whose phase of {} expects {} more "
                      "(undefined in PTX)",
                      arrivals, barrier.expected, barrier.missing));
    barrier.missing -= arrivals;
    if (warp.core->checker != nullptr && barriers.is_new()) warp.core->checker->publish(warp, *at);
    if (kDrop == Drop::yes) barrier.expected -= std::min(arrivals, barrier.expected);
    barrier.end_phase_if_complete();
    store(*warp.core, *at, barrier);
    if (d.dst != kNowhere) reinterpret_cast<u64*>(warp.file + d.dst)[lane] = before;
  }
  return &d + 1;
}

/// mbarrier.expect_tx and complete_tx
template <int kSign>
const Decoded* count_bytes(Warp& warp, const Decoded& d) {
  for (u32 rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = barrier_of(warp, d, lane);
    if (!at) return nullptr;
    Barrier barrier = load(*warp.core, *at);
    const u32 bytes = operand_or(warp, d.b, lane, 0);
    barrier.add_bytes(kSign < 0 ? 0 - bytes : bytes);
    if (kSign < 0) barrier.end_phase_if_complete();
    store(*warp.core, *at, barrier);
  }
  return &d + 1;
}

/// Raises a fault: the lanes wait for a phase that cannot end.
const Decoded* give_up(Warp& warp, const Decoded& d, u32 lanes) {
  Core& core = *warp.core;
  const int lane = std::countr_zero(lanes);
  const u64 at = barrier_word(warp, d, lane).value_or(0);
  // The lanes are waiting threads like all others. The instruction after the test can be on another line.
  warp.ready.push_back({&d, lanes, warp.join});
  raise(warp, d, FaultKind::barrier_deadlock, lane, 0);
  add_all_waiting(core);
  const Barrier barrier = load(core, at);
  Fault& fault = core.fault;
  fault.space = ptx::Space::shared;
  fault.address = at;
  if (const auto* variable = variable_at(core.program().shared_variables, at)) {
    fault.variable = variable->name;
    fault.variable_offset = at - variable->start;
  }
  fault.detail =
      fmt::format("{} of the {} arrivals of its current phase have taken place",
                  barrier.expected - std::min(barrier.missing, barrier.expected), barrier.expected);
  if (barrier.bytes != 0) fault.detail += fmt::format(", and {} bytes of copies", barrier.bytes);
  return nullptr;
}

enum class Awaits : std::uint8_t { state, parity };

/// mbarrier.test_wait and try_wait: whether the phase that the operand names has ended. If it has not, other
/// warps run first, as hardware can suspend the thread; otherwise a loop around the test would never end.
template <Awaits kAwaits>
const Decoded* test_wait(Warp& warp, const Decoded& d) {
  u32 ended = 0;
  NamedBarriers barriers(warp, d);
  bool has_received = false;
  for (u32 rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = barriers.of(lane);
    if (!at) return nullptr;
    if (barriers.is_new()) {
      finish_copies_before(*warp.core, *at);
      has_received = false;
    }
    const bool awaited = kAwaits == Awaits::parity ? (lanes_at<u32>(warp, d.b)[lane] & 1U) != 0
                                                   : lanes_at<u64>(warp, d.b)[lane] >> 63U != 0;
    const bool has_ended = load(*warp.core, *at).phase != awaited;
    if (has_ended && !std::exchange(has_received, true) && warp.core->checker != nullptr)
      warp.core->checker->receive(warp, *at);
    ended |= (has_ended ? 1U : 0U) << lane;
  }
  u32& predicate = warp.predicate(d.dst);
  predicate = (predicate & ~warp.mask) | ended;
  if (ended == warp.mask) return &d + 1;
  if (++warp.core->failed_tests > kMaxFailedTests) return give_up(warp, d, warp.mask & ~ended);
  warp.tested |= warp.mask;
  return yield(warp, &d + 1);
}

/// mbarrier.pending_count: the arrivals that a state still expected.
const Decoded* pending_count(Warp& warp, const Decoded& d) {
  for (u32 rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    reinterpret_cast<u32*>(warp.file + d.dst)[lane] =
        static_cast<u32>(lanes_at<u64>(warp, d.a)[lane]) & kMaxCount;
  }
  return &d + 1;
}

}  // namespace

std::optional<u64> barrier_word(const Warp& warp, const Decoded& d, int lane) {
  const u64 limit = warp.core->launch->shared_bytes;
  const u64 at = address_of(warp, d, lane);
  const bool is_there = limit >= sizeof(u64) && at <= limit - sizeof(u64) && at % sizeof(u64) == 0;
  return is_there ? std::optional<u64>(at) : std::nullopt;
}

bool name_one_barrier(const Warp& warp, const Decoded& d) {
  const u64 first = address_of(warp, d, warp.first_lane());
  for (u32 rest = warp.mask; rest != 0; rest &= rest - 1)
    if (address_of(warp, d, std::countr_zero(rest)) != first) return false;
  return true;
}

std::optional<u64> NamedBarriers::of(int lane) {
  const u64 address = address_of(warp_, d_, lane);
  is_new_ = !found_ || address != address_;
  address_ = address;
  if (is_new_) found_ = barrier_of(warp_, d_, lane);
  return found_;
}

void expect_one_more(Core& core, u64 barrier) {
  Barrier state = load(core, barrier);
  state.missing = std::min(state.missing + 1, kMaxCount);
  store(core, barrier, state);
}

void arrive_for_copies(Core& core, const PendingCopy& arrival) {
  u64 word = 0;
  std::memcpy(&word, core.shared + arrival.to, sizeof word);
  auto state = Barrier::unpacked(word);
  if (!state || state->missing == 0)
    return;  // overwritten or invalidated since then: no thread can wait for it
  state->missing -= 1;
  state->end_phase_if_complete();
  store(core, arrival.to, *state);
}

void add_memory_barrier_forms(FormTable& table) {
  const auto add = [&](const std::string& name, Handler handler, std::array<Lane, 5> operands) {
    const Form form{.handler = handler,
                    .counted_as = InstructionClass::barrier,
                    .shape = Shape::memory_barrier,
                    .operands = operands};
    table[{"mbarrier.", name, ".b64"}] = table[{"mbarrier.", name, ".shared.b64"}] = form;
  };
  constexpr Lane kWord = Lane::b32;
  constexpr Lane kState = Lane::b64;
  add("init", initialise, {Lane::none, kWord});
  add("inval", invalidate, {});
  add("arrive", arrive<Drop::no, Expect::nothing>, {kState, kWord});
  add("arrive.noComplete", arrive<Drop::no, Expect::nothing>, {kState, kWord});
  add("arrive_drop", arrive<Drop::yes, Expect::nothing>, {kState, kWord});
  add("arrive_drop.noComplete", arrive<Drop::yes, Expect::nothing>, {kState, kWord});
  add("arrive.expect_tx", arrive<Drop::no, Expect::bytes>, {kState, kWord});
  add("arrive_drop.expect_tx", arrive<Drop::yes, Expect::bytes>, {kState, kWord});
  add("expect_tx", count_bytes<1>, {Lane::none, kWord});
  add("complete_tx", count_bytes<-1>, {Lane::none, kWord});
  for (const std::string name : {"test_wait", "try_wait"}) {
    add(name, test_wait<Awaits::state>, {Lane::predicate, kState});
    add(name + ".parity", test_wait<Awaits::parity>, {Lane::predicate, kWord});
  }
  table["mbarrier.pending_count.b64"] = {
      .handler = pending_count, .counted_as = InstructionClass::barrier, .operands = {Lane::b32, Lane::b64}};
}

}  // namespace vgpu::exec
