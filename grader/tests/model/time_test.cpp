// Modelled kernel time, derived by hand on small profiles.
#include "vgpu/model/time.hpp"

#include "catch.hpp"

using vgpu::Counters;
using vgpu::kernel_time;
using vgpu::lecture_profile;
using vgpu::Pipe;
using vgpu::TimePart;
using vgpu::Wait;
using vgpu::Work;

namespace {

/// 4 SMs at 1 GHz.
vgpu::Profile small_profile() {
  vgpu::Profile profile = lecture_profile();
  profile.sm_count = 4;
  profile.clock_hz = 1e9;
  profile.dram_bytes_per_s = 32e9;
  return profile;
}

vgpu::LaunchShape shape(std::uint64_t blocks, std::uint32_t resident, std::uint64_t threads = 32) {
  return {blocks, threads, {.blocks_per_sm = resident}};
}

}  // namespace

TEST_CASE("the texture unit serves fetches, loads and stores one pass after another") {
  Counters counters;
  counters.texture_fetches.wavefronts = 5000;
  counters.surface_loads.wavefronts = 2000;
  counters.surface_stores.wavefronts = 1000;
  vgpu::Profile profile = small_profile();
  profile.texture_wavefronts_per_clock_per_sm = 0.5;
  const auto time = kernel_time(profile, shape(100, 8), counters, {});
  CHECK(time[TimePart::texture] == Approx(4e-6));
  CHECK(name_of(time.limiter()) == "texture unit");
}

TEST_CASE("a fetch waits longer than a load") {
  vgpu::Profile profile = small_profile();
  profile.l1_latency_clocks = profile.l2_latency_clocks = profile.dram_latency_clocks = 100;
  profile.texture_latency_clocks = 50;
  const auto latency = [&](Wait wait) {
    Work work;
    work[wait] = 4;
    return kernel_time(profile, shape(4, 1), {}, work)[TimePart::latency];
  };
  CHECK(latency(Wait::global) == Approx(100e-9));
  CHECK(latency(Wait::texture) == Approx(150e-9));
}

TEST_CASE("constant memory serves different addresses one after another") {
  Counters counters;
  counters.warp_instructions = 4000;
  counters.constant_requests = 1000;
  counters.constant_passes = 5000;
  vgpu::Profile profile = small_profile();
  profile.memory_lanes_per_sm = 16;
  CHECK(kernel_time(profile, shape(100, 8), counters, {})[TimePart::issue] == Approx(2e-6));

  profile.ptx_is_machine_code = false;
  const auto time = kernel_time(profile, shape(4000, 8), counters, {});
  CHECK(time[TimePart::load_store] == Approx(2e-6));
  CHECK(time[TimePart::latency] > 125 * 11e-9);  // 4000 repetitions of 4000 warps in 125 waves
  counters.constant_passes = counters.constant_requests;
  CHECK(kernel_time(profile, shape(4000, 8), counters, {})[TimePart::load_store] == 0);
}

TEST_CASE("idle blocks take only the time to start them") {
  auto profile = small_profile();
  profile.block_launch_clocks = 0;
  Counters counters;
  counters.warp_instructions = 1'000;
  const auto time = [&](std::uint64_t blocks, std::uint64_t idle) {
    vgpu::LaunchShape one = shape(blocks, 8);
    one.idle_blocks = idle;
    return kernel_time(profile, one, counters, {});
  };
  CHECK(time(1, 99)[TimePart::issue] == time(1, 0)[TimePart::issue]);
  CHECK(time(1, 99).total_s() == time(1, 0).total_s());
  CHECK(time(100, 0)[TimePart::issue] < time(1, 99)[TimePart::issue]);
  profile.block_launch_clocks = 100;
  CHECK(time(1, 99).total_s() > time(1, 0).total_s());
}

TEST_CASE("kernel time is the time of the slowest part") {
  Counters counters;
  counters.warp_instructions = 8000;
  counters.cache.dram_read_bytes = 700 * 32;
  counters.cache.dram_write_bytes = 300 * 32;
  counters.shared_loads.wavefronts = 3000;
  counters.shared_stores.wavefronts = 1000;
  const auto time = kernel_time(small_profile(), shape(100, 8), counters, {});
  CHECK(time[TimePart::issue] == Approx(2e-6));
  CHECK(time[TimePart::dram] == Approx(1e-6));
  CHECK(time[TimePart::shared] == Approx(1e-6));
  CHECK(time.total_s() == time.compute_s());
  CHECK(time.limiter() == TimePart::issue);
  CHECK(name_of(time.limiter()) == "instruction issue");
  // Two blocks keep two of the four SMs busy; the whole device shares the memory.
  const auto small = kernel_time(small_profile(), shape(2, 8), counters, {});
  CHECK(small[TimePart::issue] == Approx(4e-6));
  CHECK(small[TimePart::dram] == Approx(1e-6));
  CHECK(small[TimePart::shared] == Approx(2e-6));
}

TEST_CASE("the SM with one block more than the others determines the time") {
  Counters counters;
  counters.warp_instructions = 5000;
  const auto time = kernel_time(small_profile(), shape(5, 8), counters, {});
  CHECK(time[TimePart::issue] == Approx(2e-6));  // two blocks of 1,000 instructions each
}

TEST_CASE("each unit processes as many lanes per clock as it has") {
  vgpu::Profile profile = small_profile();
  profile.ptx_is_machine_code = false;
  profile.fp64_lanes_per_sm = 16;
  profile.special_lanes_per_sm = 4;
  profile.issues_per_clock_per_sm = 4;
  Work work;
  work.issued = 4000;
  work[Pipe::fp32] = 400;
  work[Pipe::fp64] = 400;
  work[Pipe::special] = 400;
  const auto time = kernel_time(profile, shape(4, 8), {}, work);
  CHECK(time[TimePart::issue] == Approx(250e-9));
  CHECK(time[TimePart::fp32] == Approx(100e-9));
  CHECK(time[TimePart::fp64] == Approx(200e-9));
  CHECK(time[TimePart::special] == Approx(800e-9));
  CHECK(time.limiter() == TimePart::special);
}

TEST_CASE("tensor cores have rates of their own, independent of other instructions") {
  vgpu::Profile profile = small_profile();
  profile.tensor_fma_per_clock_per_sm = 1024;
  profile.tensor_fp64_fma_per_clock_per_sm = 64;
  Work work;
  work[Pipe::tensor] = 4 * 2000;  // of 512 multiply-adds, on four SMs
  CHECK(kernel_time(profile, shape(4, 8), {}, work)[TimePart::tensor] == Approx(1e-6));
  work[Pipe::tensor_fp64] = 4 * 250;  // of 256
  const auto time = kernel_time(profile, shape(4, 8), {}, work);
  CHECK(time[TimePart::tensor] == Approx(2e-6));
  CHECK(time.limiter() == TimePart::tensor);
  CHECK(time.compute_s() == Approx(2e-6));
  CHECK(name_of(time.limiter()) == "tensor cores");
}

TEST_CASE("latency is hidden by resident warps, in whole waves of blocks") {
  vgpu::Profile profile = small_profile();
  profile.arithmetic_latency_clocks = 10;
  profile.dram_latency_clocks = 500;
  Work work;
  const std::uint64_t warps = 16 * 2;  // 16 blocks of two warps: four blocks per SM
  work[Wait::arithmetic] = warps * 50;
  work[Wait::global] = warps;
  const auto latency = [&](std::uint32_t resident) {
    return kernel_time(profile, shape(16, resident, 64), {}, work)[TimePart::latency];
  };
  CHECK(latency(8) == Approx(1e-6));
  CHECK(latency(4) == Approx(1e-6));
  CHECK(latency(3) == Approx(2e-6));  // three at the same time, then one
  CHECK(latency(1) == Approx(4e-6));
}

TEST_CASE("loads wait for the cache that holds their data, the first blocks for DRAM") {
  vgpu::Profile profile = small_profile();
  profile.dram_bytes_per_s = 1e18;
  profile.l1_latency_clocks = 100;
  profile.l2_latency_clocks = 200;
  profile.dram_latency_clocks = 1000;
  Work work;
  work[Wait::global] = 8;
  Counters counters;
  counters.global_loads.requests = 8;
  counters.cache.l1_load_sectors = 100;
  counters.cache.l1_load_hit_sectors = 50;
  counters.cache.l2_read_sectors = 50;
  counters.cache.dram_read_bytes = 10 * 32;
  const auto latency = [&](std::uint64_t blocks) {
    return kernel_time(profile, shape(blocks, 1), counters, work)[TimePart::latency];
  };
  // Half from L1, half from DRAM; then half from L1, two fifths from L2, a tenth from DRAM.
  work[Wait::global] = 4;
  counters.global_loads.requests = 4;
  CHECK(latency(4) == Approx(550e-9));
  work[Wait::global] = 8;
  counters.global_loads.requests = 8;
  CHECK(latency(8) == Approx(550e-9 + 230e-9));
  // An access to a line that is still being loaded is not a hit.
  work.l1_in_flight_sectors = 50;
  CHECK(latency(8) == Approx(1000e-9 + 360e-9));
  // Two loads that wait together: in a quarter of the cases both hit in L1.
  work.l1_in_flight_sectors = 0;
  counters.global_loads.requests = 8;
  work[Wait::global] = 4;
  CHECK(latency(4) == Approx(775e-9));
}

TEST_CASE("of several loads from DRAM, a warp waits for the slowest") {
  vgpu::Profile profile = small_profile();
  profile.dram_latency_clocks = 1000;
  profile.dram_latency_spread_clocks = 60;
  const auto latency = [&](std::uint64_t loads) {
    Work work;
    work[Wait::global] = 4;
    Counters counters;
    counters.global_loads.requests = 4 * loads;
    return kernel_time(profile, shape(4, 1), counters, work)[TimePart::latency];
  };
  CHECK(latency(1) == Approx(1000e-9));
  CHECK(latency(2) == Approx(1060e-9));
  CHECK(latency(4) == Approx(1110e-9));  // 60 · (1 + 1/2 + 1/3)
}

TEST_CASE("an SM, the device and waits delay each other where they take equally long") {
  vgpu::Profile profile = small_profile();
  profile.dram_latency_clocks = 3000;
  profile.dram_achievable_fraction = 1;
  const std::uint64_t warps = 4 * 32;
  Work work;
  work[Wait::global] = warps;  // 3 µs
  Counters counters;
  counters.warp_instructions = 4 * 2000;                                                         // 2 µs
  counters.cache.dram_read_bytes = static_cast<std::uint64_t>(4e-6 * profile.dram_bytes_per_s);  // 4 µs
  const auto run_s = [&] { return kernel_time(profile, shape(warps, 32), counters, work).run_s; };
  CHECK(run_s() == Approx(std::cbrt(27 + 8 + 64) * 1e-6));
  profile.dram_latency_clocks = 0;  // nothing waits
  CHECK(run_s() == Approx(4e-6));
}

TEST_CASE("with barriers, warps add their waits for memory to their block's work") {
  vgpu::Profile profile = small_profile();
  profile.dram_latency_clocks = 1000;
  profile.shared_latency_clocks = 100;
  Work work;
  const std::uint64_t warps = 4 * 2;
  work[Wait::global] = warps;
  work[Wait::shared] = 2 * warps;
  Counters counters;
  counters.warp_instructions = 4 * 5000;
  // Without barriers two warps share 5,000 clocks of issue, which hide 1,200 clocks of waits.
  CHECK(kernel_time(profile, shape(4, 1, 64), counters, work).run_s == Approx(5e-6).epsilon(0.01));
  counters.barriers = 1;
  CHECK(kernel_time(profile, shape(4, 1, 64), counters, work).run_s == Approx(6e-6));
}

TEST_CASE("a launch takes time before and after its blocks") {
  vgpu::Profile profile = small_profile();
  profile.kernel_launch_s = 1e-6;
  profile.block_launch_clocks = 100;
  CHECK(kernel_time(profile, shape(40, 8), {}, {}).total_s() == Approx(2e-6));
}

TEST_CASE("the lectures' matrix product is limited by DRAM without tiles, by instructions with them") {
  // 512 × 512, blocks of 16 × 16: 4 sectors of 32 bytes per warp and k, or a sixteenth of that with tiles.
  const double operations = 2.0 * 512 * 512 * 512;
  Counters naive;
  naive.cache.dram_read_bytes = static_cast<std::uint64_t>(2 * operations);
  naive.warp_instructions = 512 * 512 / 32 * 512 * 5;
  const auto time = kernel_time(lecture_profile(), shape(1024, 6, 256), naive, {});
  CHECK(time.limiter() == TimePart::dram);
  CHECK(time.total_s() == Approx(2 * operations / 200e9));
}

TEST_CASE("atomics on one word are serialised, floating-point atomics are slower") {
  vgpu::Profile profile = small_profile();
  profile.same_address_atomic_clocks = 2;
  profile.same_address_float_atomic_clocks = 5;
  profile.same_line_atomic_clocks = 10;
  const auto atomics = [&](const vgpu::AtomicLoad& hottest) {
    Work work;
    work.hottest_atomics = hottest;
    return kernel_time(profile, shape(4, 1), {}, work)[TimePart::atomics];
  };
  CHECK(atomics({.lanes = 1000}) == Approx(2e-6));
  CHECK(atomics({.float_lanes = 1000}) == Approx(5e-6));
  CHECK(atomics({.lanes = 1000, .scattered = 500}) == Approx(5e-6));
}

TEST_CASE("a block of more than eight warps takes longer to start, smaller blocks do not") {
  vgpu::Profile profile = small_profile();
  profile.block_launch_clocks = 100;
  const auto total = [&](std::uint64_t threads) {
    return kernel_time(profile, shape(4, 1, threads), {}, {}).total_s();
  };
  CHECK(total(32) == Approx(100e-9));
  CHECK(total(256) == Approx(100e-9));
  CHECK(total(512) == Approx(200e-9));
}

TEST_CASE("only the first load between two barriers delays the whole block") {
  vgpu::Profile profile = small_profile();
  profile.dram_latency_clocks = 1000;
  Work work;
  constexpr std::uint64_t kWarps = 4 * 2;
  work[Wait::global] = 3 * kWarps;  // one after another, as in a loop without barriers
  Counters counters;
  counters.warp_instructions = 4 * 5000;
  counters.barriers = 1;
  CHECK(kernel_time(profile, shape(4, 1, 64), counters, work).run_s == Approx(6e-6));
  work[Wait::barrier] = 2 * kWarps;  // one after each
  CHECK(kernel_time(profile, shape(4, 1, 64), counters, work).run_s == Approx(8e-6));
}
