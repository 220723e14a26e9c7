// Modelled kernel time.
#include "vgpu/model/time.hpp"

#include "catch.hpp"

using vgpu::Counters;
using vgpu::kernel_time;
using vgpu::lecture_profile;

TEST_CASE("kernel time is that of the slowest part") {
  vgpu::Profile profile = lecture_profile();
  profile.sm_count = 4;
  profile.clock_hz = 1e9;
  profile.dram_bytes_per_s = 32e9;
  Counters counters;
  counters.warp_instructions = 8000;
  counters.global_loads.sectors = 500;
  counters.global_stores.sectors = 300;
  counters.global_atomics.sectors = 200;
  counters.shared_loads.wavefronts = 3000;
  counters.shared_stores.wavefronts = 1000;
  const auto time = kernel_time(profile, counters, 100);
  CHECK(time.compute_s == Approx(2e-6));
  CHECK(time.dram_s == Approx(1e-6));
  CHECK(time.shared_s == Approx(1e-6));
  CHECK(time.total_s() == time.compute_s);
  // Two blocks keep two of the four SMs busy; memory is the device's.
  const auto small = kernel_time(profile, counters, 2);
  CHECK(small.compute_s == Approx(4e-6));
  CHECK(small.dram_s == Approx(1e-6));
  CHECK(small.shared_s == Approx(2e-6));
}
