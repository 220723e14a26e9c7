// Modelled kernel time, from counts alone: no instruction is simulated in time.
//
// A launch keeps each part of the device busy for a while (TimePart). Parts work side by side, so the launch
// takes as long as its slowest part, never less. S is the number of SMs, clock the SMs' clock.
//
// Blocks go to the SMs in turn. The SM that gets most has n = ceil(blocks / S) of them, of which
// r = min(n, blocks that fit an SM: occupancy.hpp) run at once, so it passes w = ceil(n / r) waves.
// What an SM does itself is counted for that SM (the tail of the last wave): u = n / blocks of the total.
//
//   issue        u · instructions / (issues_per_clock · clock)
//   a unit       u · its instructions · 32 / (its lanes · clock)
//                  (CUDA C++ Programming Guide, "Arithmetic Instructions", gives lanes a clock)
//   shared       u · wavefronts / (shared_wavefronts_per_clock · clock)
//   l1           u · (lines looked up + wavefronts) / (l1_lines_per_clock · clock)
//                  (L1 and shared memory are one memory with one port: Jia et al., arXiv 1804.06826)
//   l2           sectors · 32 bytes / l2_bytes_per_s, and no SM more than its l2_bytes_per_clock
//   dram         bytes / (dram_bytes_per_s · dram_achievable_fraction)
//   atomics      lanes / (l2_atomics_per_clock · clock), and one line's at same_address_atomic_clocks each
//   latency      w · (waits of a warp · latency of each kind) / clock
//                  Little's law: r blocks in flight on an SM, each for that long (Volkov, "Understanding
//                  Latency Hiding on GPUs", 2016, chapter 4). Loads wait for L1, L2 or DRAM in the
//                  proportion of the sectors found there.
//   launch       kernel_launch_s + n · block_launch_clocks / clock
//
// On profiles where PTX counts as machine code (ptx_is_machine_code) every PTX instruction takes an issue
// slot, and shared accesses are not merged. What the model leaves out: handout/student/virtual-gpu.md.
// Covered by tests/model/time_test.cpp; held against an H200 in handout/instructor/validation.md.
#pragma once

#include "vgpu/model/kernel_time.hpp"
#include "vgpu/model/occupancy.hpp"
#include "vgpu/model/profile.hpp"
#include "vgpu/model/work.hpp"
#include "vgpu/observe/counters.hpp"

namespace vgpu {

struct LaunchShape {
  std::uint64_t blocks = 1;
  std::uint64_t threads_per_block = 1;
  Occupancy occupancy;
};

KernelTime kernel_time(const Profile& profile, const LaunchShape& shape, const Counters& counters,
                       const Work& work);

}  // namespace vgpu
