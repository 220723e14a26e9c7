#include "vgpu/run/block.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <new>

#include "vgpu/builtins/device_heap.hpp"
#include "vgpu/check/block_checker.hpp"
#include "vgpu/cost/block_clock.hpp"
#include "vgpu/flow/barriers.hpp"
#include "vgpu/flow/control.hpp"
#include "vgpu/flow/divergence.hpp"
#include "vgpu/flow/special_registers.hpp"
#include "vgpu/flow/warp_groups.hpp"
#include "vgpu/state/access.hpp"
#include "vgpu/state/unwritten.hpp"

namespace vgpu::exec {
namespace {

/// Instructions after which a running block checks whether its results are still needed.
constexpr std::uint64_t kInstructionsBetweenChecks = 1U << 16U;

AlignedBytes must_allocate(std::size_t size) {
  AlignedBytes bytes = aligned_bytes(std::max<std::size_t>(size, 1));
  if (!bytes) throw std::bad_alloc();
  return bytes;
}

std::uint32_t lanes_of(const LaunchContext& launch, std::size_t warp) {
  assert(warp * kWarpLanes < launch.block.count());
  const std::uint64_t left = launch.block.count() - warp * kWarpLanes;
  return left >= kWarpLanes ? kFullMask : (1U << left) - 1;
}

std::uint64_t parameter_value(const LaunchContext& launch, const Constant& constant) {
  std::uint64_t value = 0;
  std::memcpy(&value, launch.parameters.data() + constant.value, constant.bytes);
  if (!constant.is_signed) return value;
  const unsigned shift = 64U - 8U * constant.bytes;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
}

void write_lane(Warp& warp, const Constant& constant, int lane, std::uint64_t value) {
  std::byte* to = warp.file + constant.offset + static_cast<std::size_t>(lane) * constant.lane_bytes;
  std::memcpy(to, &value, constant.lane_bytes);
}

void write_constant(Warp& warp, const Constant& constant) {
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    switch (constant.kind) {
      case Constant::Kind::value:
        write_lane(warp, constant, lane, constant.value);
        break;
      case Constant::Kind::parameter:
        write_lane(warp, constant, lane, parameter_value(*warp.core->launch, constant));
        break;
      case Constant::Kind::special:
        write_lane(warp, constant, lane, constant.special->read(warp, lane));
        break;
    }
  }
}

/// A constant that varies by block, and is the same for all lanes.
void write_block_constant(Warp& warp, const Constant& constant) {
  const std::uint64_t value = constant.special->read(warp, 0);
  if (constant.lane_bytes == sizeof(std::uint32_t)) {
    auto* words = reinterpret_cast<std::uint32_t*>(warp.file + constant.offset);
    std::fill_n(words, kWarpLanes, static_cast<std::uint32_t>(value));
    return;
  }
  for (int lane = 0; lane < kWarpLanes; ++lane) write_lane(warp, constant, lane, value);
}

/// Registers of one thread differ, so that a comparison of two of them makes results wrong, too.
void fill_unwritten_register(Warp& warp, const RegisterPlace& place) {
  const std::size_t number = place.offset / (kWarpLanes * sizeof(std::uint32_t));
  auto* words = reinterpret_cast<std::uint32_t*>(warp.file + place.offset);
  for (std::size_t i = 0; i < place.bytes / sizeof(std::uint32_t); ++i)
    words[i] = kUnwrittenWords[(number + i) % kUnwrittenWords.size()];
}

/// The compiler's own instructions, such as a loop's branch back, have line 0: the line of the next that has
/// one.
ptx::SourceLine next_known_line(const Program& program, const Decoded& d) {
  const auto known = std::find_if(program.origins.begin() + d.origin, program.origins.end(),
                                  [](const Origin& one) { return one.source.line != 0; });
  return known == program.origins.end() ? ptx::SourceLine{} : known->source;
}

/// Moves instructions from the reserve to the budget; false if the block must stop.
bool refill(Core& core, Warp& warp, const Decoded& d) {
  if (core.interrupt != nullptr && core.interrupt->abandon()) {
    core.stop = Stop::abandoned;
    return false;
  }
  if (core.reserve == 0) {
    raise(warp, d, FaultKind::step_limit, warp.first_lane(), warp.active);
    if (core.fault.source.line == 0) core.fault.source = next_known_line(core.program(), d);
    return false;
  }
  core.budget = std::min(core.reserve, kInstructionsBetweenChecks);
  core.reserve -= core.budget;
  return true;
}

std::size_t runnable_warps(const Core& core) {
  const auto can_run = [](const Warp& warp) { return !warp.ready.empty(); };
  return static_cast<std::size_t>(std::count_if(core.warps.begin(), core.warps.end(), can_run));
}

/// Loops of their own, so that launches pay only for what they ask for.
template <bool kRecords, bool kFollowsValues>
void execute_all(Warp& warp, const Decoded* next, [[maybe_unused]] StepRecorder* recorder) {
  Core& core = *warp.core;
  const Decoded* const code = core.program().code.data();
  Tally* const tallies = core.sites.instructions.data();
  while (next != nullptr) {
    if (core.budget == 0 && !refill(core, warp, *next)) return;
    --core.budget;
    // The decoder ends every function with a return: no path leaves the code.
    assert(next >= code && next < code + core.program().code.size());
    Tally& tally = tallies[next - code];
    tally.warps += 1;
    tally.threads += warp.active;
    if constexpr (kRecords) recorder->step(warp, *next);
    if constexpr (kFollowsValues) core.checker->values().step(warp, *next);
    next = next->run(warp, *next);
  }
}

template <bool kRecords>
void execute(Warp& warp, const Decoded* next, StepRecorder* recorder) {
  Core& core = *warp.core;
  if (!core.follows_values) {
    execute_all<kRecords, false>(warp, next, recorder);
    if (core.detour == nullptr) return;
    core.follows_values = true;
    next = std::exchange(core.detour, nullptr);
  }
  execute_all<kRecords, true>(warp, next, recorder);
}

}  // namespace

BlockRunner::BlockRunner(const LaunchContext& launch, GlobalMemory& memory, bool records, TermMemory* terms) {
  // check_launch() allows these only; sets of lanes and of warps are masks of 32 bits.
  assert(launch.block.count() >= 1 && launch.block.count() <= std::uint64_t{kWarpLanes} * kWarpLanes);
  const Program& program = *launch.program;
  core_.launch = &launch;
  core_.memory = &memory;
  const std::size_t warps = (launch.block.count() + kWarpLanes - 1) / kWarpLanes;
  registers_ = must_allocate(warps * program.file_bytes);
  shared_ = must_allocate(launch.shared_bytes);
  warp_local_bytes_ = std::size_t{launch.local_stride} * kWarpLanes;
  local_ = must_allocate(warps * warp_local_bytes_);
  core_.shared = shared_.get();
  if (launch.checks.any()) checker_ = std::make_unique<BlockChecker>(launch, memory);
  core_.checker = checker_.get();
  core_.memos.resize(program.memo_count);
  for (const auto& merged : program.merged_accesses) core_.memos[merged.memo].merged_bytes = merged.bytes;
  core_.sites = sites_ = SiteCounts(program);
  core_.warps.resize(warps);
  if (launch.has_caches) trace_ = std::make_unique<CacheTrace>(launch.l1_bytes, warps);
  core_.trace = trace_.get();
  assert(!records || terms == nullptr);
  if (records) steps_ = (recorder_ = std::make_unique<BlockRecorder>(program)).get();
  if (terms != nullptr) steps_ = (terms_ = std::make_unique<TermRecorder>(program, *terms)).get();
  core_.polls.resize(warps * program.poll_count);
  for (std::size_t index = 0; index < warps; ++index) {
    Warp& warp = core_.warps[index];
    warp.core = &core_;
    warp.index = static_cast<std::uint32_t>(index);
    warp.file = registers_.get() + index * program.file_bytes;
    warp.local = local_.get() + index * warp_local_bytes_;
  }
  // Once: begin() fills the registers that can be read before they are written.
  std::memset(registers_.get(), 0, program.file_bytes);
  for (const Constant& constant : program.constants) write_constant(core_.warps.front(), constant);
  for (std::size_t index = 1; index < warps; ++index) {
    Warp& warp = core_.warps[index];
    std::memcpy(warp.file, registers_.get(), program.file_bytes);
    for (const Constant& constant : program.constants)
      if (constant.kind == Constant::Kind::special) write_constant(warp, constant);
  }
}

BlockRunner::~BlockRunner() = default;

void BlockRunner::begin(std::uint64_t index, std::uint64_t budget, BlockView* view,
                        const Interrupt* interrupt) {
  const LaunchContext& launch = *core_.launch;
  const Program& program = *launch.program;
  assert(index < launch.grid.count());
  core_.view = view;
  core_.interrupt = interrupt;
  core_.sites.clear();
  if (trace_) trace_->begin(index);
  core_.block = {static_cast<std::uint32_t>(index % launch.grid.x),
                 static_cast<std::uint32_t>(index / launch.grid.x % launch.grid.y),
                 static_cast<std::uint32_t>(index / launch.grid.x / launch.grid.y)};
  // The first instruction refills the budget and polls the interrupt.
  core_.budget = 0;
  core_.reserve = core_.granted = budget;
  forget_freed_allocations(core_);
  core_.arrivals = {};
  std::fill(core_.polls.begin(), core_.polls.end(), Poll{});
  core_.polls_in_vain = 0;
  core_.turn = {};
  core_.failed_tests = 0;
  core_.time = {};
  has_waited_ = only_waits_ = false;
  core_.stop = Stop::none;
  core_.follows_values = false;
  core_.detour = nullptr;
  core_.printed.clear();
  if (steps_ != nullptr) steps_->begin_block(core_);
  if (checker_) checker_->begin_block(core_, index, view == nullptr ? launch.launch_checker : nullptr);
  // A block must not see values that the previous block left in shared or local memory.
  fill_unwritten(shared_.get(), launch.shared_bytes);
  fill_unwritten(local_.get(), core_.warps.size() * warp_local_bytes_);
  for (Warp& warp : core_.warps) {
    for (const RegisterPlace& place : program.unwritten) fill_unwritten_register(warp, place);
    if (checker_) checker_->watch_unset_registers(warp);
    // All other constants keep the values of the constructor.
    for (const Constant& constant : program.constants) {
      if (constant.kind == Constant::Kind::special && constant.special->varies_by_block)
        write_block_constant(warp, constant);
    }
    warp.copies.pending.clear();
    warp.copies.group.fill(0);
    start_paths(warp, lanes_of(launch, warp.index), program.code.data());
  }
}

void BlockRunner::run(std::uint64_t index, std::uint64_t budget, BlockView& view,
                      const Interrupt* interrupt) {
  begin(index, budget, &view, interrupt);
  run_warps();
  end();
}

void BlockRunner::start(std::uint64_t index, std::uint64_t budget, const Interrupt* interrupt) {
  begin(index, budget, nullptr, interrupt);
  run_warps();
  end();
}

void BlockRunner::resume_turn(std::uint64_t budget, const Interrupt* interrupt) {
  assert(core_.stop == Stop::waits);
  core_.stop = Stop::none;
  core_.turn = {};
  only_waits_ = has_waited_;
  core_.interrupt = interrupt;
  forget_freed_allocations(core_);
  // executed() continues where the last turn ended.
  core_.granted = core_.executed() + budget;
  core_.reserve = budget;
  core_.budget = 0;
  run_warps();
  end();
}

// Stores need no attention: a loop without any change in its registers stores the same values again.
bool BlockRunner::is_idle() const {
  const auto warps = std::count_if(core_.warps.begin(), core_.warps.end(),
                                   [](const Warp& warp) { return !warp.ready.empty(); });
  const Core::Turn& turn = core_.turn;
  return only_waits_ && !turn.saw_news && !turn.changed_memory && turn.idle_waits >= warps;
}

void BlockRunner::end() {
  if (core_.stop == Stop::waits) return;
  meet_in_cache();
  for (std::uint32_t memo = 0; memo < core_.memos.size(); ++memo) settle(core_, memo);
  counters_ = total_of(core_.program(), core_.sites);
  if (trace_) counters_.cache = trace_->traffic();
  // A block that stopped early is discarded, or runs again from its start.
  if (core_.stop == Stop::none) sites_ += core_.sites;
}

/// Sends the accesses since the last barrier through L1.
void BlockRunner::meet_in_cache() {
  if (!trace_) return;
  trace_->meet();
  if (trace_->is_full() && core_.view != nullptr && core_.stop == Stop::none) core_.stop = Stop::needs_order;
}

void BlockRunner::run_warps() {
  const BlockClock* const clock = core_.launch->clock;
  while (true) {
    bool ran = false;
    bool all_yield = true;
    if (clock != nullptr) clock->begin_round(core_, runnable_warps(core_));
    for (std::size_t i = 0; i < core_.warps.size(); ++i) {
      Warp& warp = core_.warps[core_.launch->warps_backwards ? core_.warps.size() - 1 - i : i];
      if (warp.ready.empty()) continue;
      if (clock != nullptr) clock->begin_turn(core_);
      run_warp(warp);
      if (clock != nullptr) clock->end_turn(core_);
      if (core_.stop != Stop::none) return;
      ran = true;
      all_yield &= warp.yields;
    }
    if (std::all_of(core_.warps.begin(), core_.warps.end(), [](const Warp& warp) { return warp.live == 0; }))
      return;
    const bool released = release_barriers(core_);
    if (core_.stop != Stop::none) return;
    if (!ran && !released) return fail_deadlock();
    meet_in_cache();
    if (core_.stop != Stop::none) return;
    if (!all_yield || released) {
      has_waited_ = only_waits_ = false;
      core_.failed_tests = 0;
    } else if (wait_for_others()) {
      return;
    }
  }
}

/// All warps that can run wait in loops. The first time, other blocks get their turn, if the block can wait
/// for others. If that does not help, lanes that wait at joins for those in the loops continue without them.
/// True: the turn is over.
bool BlockRunner::wait_for_others() {
  const bool alone = core_.view == nullptr;
  if (!alone || has_waited_) {
    bool parted = false;
    for (Warp& warp : core_.warps) {
      if (!warp.ready.empty()) parted |= part_waiting_lanes(warp);
    }
    only_waits_ &= !parted;
    if (parted) return false;
  }
  has_waited_ = true;
  if (!alone) return false;
  core_.stop = Stop::waits;
  if (core_.checker != nullptr) core_.checker->give_way();
  return true;
}

/// Runs a warp until it has ended, all its lanes wait, or it yields to others.
void BlockRunner::run_warp(Warp& warp) {
  warp.yields = false;
  do {
    const Decoded* next = resume(warp);
    if (steps_ != nullptr)
      execute<true>(warp, next, steps_);
    else
      execute<false>(warp, next, nullptr);
    if (core_.stop != Stop::none || warp.yields) return;
  } while (meet_in_groups(warp));
  if (core_.stop == Stop::none) check_parked(warp);
}

/// No lane of the warp can continue. That is a fault if lanes wait for others that cannot come. Lanes at a
/// barrier come when the barrier is released, unless it is one that all lanes must reach together.
void BlockRunner::check_parked(Warp& warp) {
  std::uint32_t lanes = 0;
  bool aligned = false;
  bool may_come = false;
  bool same = true;
  for (const Path& path : warp.parked) {
    lanes |= path.mask;
    const bool at_barrier = control::waits_for_block(*path.next);
    const bool is_aligned = at_barrier && BarrierOption::of(*path.next).is_aligned;
    aligned |= is_aligned;
    may_come |= at_barrier && !is_aligned;
    same &= path.next == warp.parked.front().next;
  }
  const Path* group = waiting_group(warp);
  if (group != nullptr && !may_come) return raise_missing_lanes(warp, *group);
  if (aligned && (!same || lanes != warp.live)) fail_divergent_barrier(warp);
}

}  // namespace vgpu::exec
