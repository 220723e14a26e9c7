#include "vgpu/model/time.hpp"

#include <algorithm>

namespace vgpu {
namespace {

constexpr double kWarpLanes = 32;

}  // namespace

double KernelTime::total_s() const { return std::max({compute_s, dram_s, shared_s}); }

KernelTime kernel_time(const Profile& profile, const Counters& counters, std::uint64_t blocks) {
  // A grid smaller than the device leaves SMs idle.
  const double busy_sms = static_cast<double>(std::clamp<std::uint64_t>(blocks, 1, profile.sm_count));
  const double issues_per_s = busy_sms * profile.clock_hz * profile.lanes_per_sm / kWarpLanes;
  const double wavefronts_per_s = busy_sms * profile.clock_hz * profile.shared_wavefronts_per_clock_per_sm;
  const std::uint64_t sectors =
      counters.global_loads.sectors + counters.global_stores.sectors + counters.global_atomics.sectors;
  const std::uint64_t wavefronts = counters.shared_loads.wavefronts + counters.shared_stores.wavefronts +
                                   counters.shared_atomics.wavefronts;
  KernelTime time;
  time.compute_s = static_cast<double>(counters.warp_instructions) / issues_per_s;
  time.dram_s = static_cast<double>(sectors * kSectorBytes) / profile.dram_bytes_per_s;
  time.shared_s = static_cast<double>(wavefronts) / wavefronts_per_s;
  return time;
}

}  // namespace vgpu
