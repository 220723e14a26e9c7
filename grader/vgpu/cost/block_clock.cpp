#include "vgpu/cost/block_clock.hpp"

#include <algorithm>

#include "vgpu/cost/machine_work.hpp"
#include "vgpu/model/time.hpp"
#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {
namespace {

double clocks_of(const WorkSite& site, const Profile& profile) {
  double clocks = 0;
  for (std::size_t i = 0; i < kWaits; ++i)
    clocks += site.waits.latencies[i] * latency_clocks(profile, static_cast<Wait>(i));
  return clocks / site.waits.executions;
}

}  // namespace

BlockClock::BlockClock(const Program& program, const Profile& profile)
    : issues_per_clock_(profile.issues_per_clock_per_sm), clock_hz_(profile.clock_hz) {
  if (profile.ptx_is_machine_code) return;
  for (const WorkSite& site : *program.work)
    sites_.push_back({site.code, clocks_of(site, profile), static_cast<double>(site.work.slots)});
}

WarpClocks BlockClock::sums(const Core& core) const {
  WarpClocks sums;
  double issued = sites_.empty() ? static_cast<double>(core.executed()) : 0;
  for (const Site& site : sites_) {
    const auto times = static_cast<double>(core.sites.instructions[site.code].warps);
    sums.waits += times * site.waits;
    issued += times * site.slots;
  }
  sums.busy = issued / issues_per_clock_;
  return sums;
}

double BlockClock::now(const Core& core) const {
  const WarpClocks all = sums(core);
  const double waits = all.waits - core.time.turn.waits, busy = all.busy - core.time.turn.busy;
  return core.time.round + std::max(waits + busy, core.time.warps * busy);
}

void BlockClock::begin_round(Core& core, std::size_t warps) const {
  core.time.round = core.time.latest;
  core.time.warps = static_cast<double>(warps);
}

void BlockClock::begin_turn(Core& core) const { core.time.turn = sums(core); }

void BlockClock::end_turn(Core& core) const { core.time.latest = std::max(core.time.latest, now(core)); }

std::uint64_t BlockClock::clocks(const Core& core) const { return static_cast<std::uint64_t>(now(core)); }

std::uint64_t BlockClock::nanoseconds(const Core& core) const {
  constexpr double kNanosecondsPerSecond = 1e9;
  return static_cast<std::uint64_t>(now(core) / clock_hz_ * kNanosecondsPerSecond);
}

}  // namespace vgpu::exec
