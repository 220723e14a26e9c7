#include "vgpu/flow/spinning.hpp"

#include <cassert>

#include "vgpu/flow/divergence.hpp"

namespace vgpu::exec::control {
namespace {

/// This many equal results in a row identify a loop that waits. Loops that count with atomics or traverse
/// volatile memory see different values each time.
constexpr std::uint32_t kSameValues = 16;

template <class T>
std::uint64_t digest(const Warp& warp, std::uint32_t offset) {
  const auto* values = reinterpret_cast<const T*>(warp.file + offset);
  constexpr std::uint64_t kPrime = 0x100000001B3;  // FNV-1a's
  std::uint64_t sum = 0xCBF29CE484222325;
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1)
    sum = (sum ^ values[std::countr_zero(rest)]) * kPrime;
  return sum;
}

std::uint64_t digest(Warp& warp, const Decoded& d) {
  const auto lane = static_cast<Lane>(d.option);
  if (lane == Lane::predicate) return warp.predicate(d.a) & warp.mask;
  return lane == Lane::b64 ? digest<std::uint64_t>(warp, d.a) : digest<std::uint32_t>(warp, d.a);
}

std::uint64_t digest_of_registers(const Warp& warp) {
  constexpr std::uint64_t kPrime = 0x100000001B3;
  const auto* words = reinterpret_cast<const std::uint64_t*>(warp.file);
  std::uint64_t sum = 0xCBF29CE484222325;
  for (std::size_t i = 0; i < warp.core->program().file_bytes / sizeof *words; ++i)
    sum = (sum ^ words[i]) * kPrime;
  return sum;
}

void note_news(Core& core) {
  core.polls_in_vain = 0;
  core.turn.saw_news = true;
}

/// A loop that counts makes progress, whatever it reads.
void note_progress(Warp& warp, Poll& poll) {
  const std::uint64_t registers = digest_of_registers(warp);
  if (registers != poll.registers)
    note_news(*warp.core);
  else
    ++warp.core->turn.idle_waits;
  poll.registers = registers;
}

}  // namespace

const Decoded* poll(Warp& warp, const Decoded& d) {
  Core& core = *warp.core;
  assert(d.memo < core.program().poll_count);
  Poll& poll = core.polls[warp.index * core.program().poll_count + d.memo];
  const std::uint64_t seen = digest(warp, d);
  const bool same = seen == poll.seen && warp.mask == poll.mask;
  poll.seen = seen;
  poll.mask = warp.mask;
  poll.times = same ? poll.times + 1 : 0;
  if (!same) note_news(core);
  if (++core.polls_in_vain > core.launch->max_polls_in_vain) {
    const Decoded* const next = raise(warp, d, FaultKind::step_limit, warp.first_lane(), warp.active);
    core.fault.detail = kWaitsInVain;
    return next;
  }
  if (poll.times < kSameValues) return &d + 1;
  poll.times = 0;
  note_progress(warp, poll);
  core.failed_tests = 0;  // what the warp waits for can come from another block
  return yield(warp, &d + 1);
}

const Decoded* pause(Warp& warp, const Decoded& d) {
  // Lanes that only sleep can still arrive at an mbarrier. Lanes that test one between their pauses wait.
  if ((warp.mask & ~warp.tested) != 0) warp.core->failed_tests = 0;
  warp.tested &= ~warp.mask;
  return yield(warp, &d + 1);
}

}  // namespace vgpu::exec::control
