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
//   tensor       u · multiply-adds / (tensor_fma_per_clock · clock), those of tf32 counted twice, those of
//   bytes
//                  half (NVIDIA A100 and H100 whitepapers); and double precision at a rate of its own
//   shared       u · wavefronts / (shared_wavefronts_per_clock · clock)
//   l1           u · (lines looked up + wavefronts) / (l1_lines_per_clock · clock)
//                  (L1 and shared memory are one memory with one port: Jia et al., arXiv 1804.06826)
//   l2           (sectors read · 32 + lines written · 128 bytes) / l2_bytes_per_s, and no SM more than its
//                l2_bytes_per_clock: a warp's store to a line takes as long as a whole line (measured on an
//                H200 by transposes, validation.md)
//   dram         bytes / (dram_bytes_per_s · dram_achievable_fraction)
//   atomics      lanes / (l2_atomics_per_clock · clock), and on the line that most reach one after another:
//                lanes on one word each same_address_atomic_clocks (same_address_float_atomic_clocks),
//                requests for several words each same_line_atomic_clocks
//
// The last part is latency. One warp alone takes L = its waits · the latency of each kind. Those that run at
// once are customers of a closed queueing network with the parts above as servers; so they take at least
// what one alone does, L + D, where D is what it asks of the busiest part (asymptotic bounds: Denning and
// Buzen, ACM Computing Surveys 10(3), 1978; with D = 0 Little's law, as Volkov, "Understanding Latency
// Hiding on GPUs", 2016, has it). Customers are warps. If there are barriers they are blocks, whose warps go
// in step: they wait for memory and at barriers at the same time (M of L), and fill each other's other
// waits, so a block alone takes the longer of L and M + D. Of the loads that a warp waits for between two
// barriers only the first counts for M: the warps that it comes back to first go on while the others wait.
//
//   latency      w · (L + D), or w · max(L, M + D)
//                Loads wait for L1, L2 or DRAM in the proportion of the sectors found there, loads that go
//                together for the slowest of them. A line that another warp asks for at the same time is
//                not there yet; and the first wave finds nothing in L2, since its blocks go side by side.
//
// A launch runs for as long as its slowest part. An SM needs block_launch_clocks of its own to start a block,
// in proportion more for one of more than 8 warps, in which it does nothing else: n of these come on top of
// the parts of an SM (those up to l1). With barriers the busiest part has nothing to do at first: then for at
// least M + its time. What starting blocks adds to the slowest part counts as launch, with
//
//   launch       kernel_launch_s, and where memory is cold two latencies of DRAM: for the kernel's
//                parameters and its code
//
// On profiles where PTX counts as machine code (ptx_is_machine_code) every PTX instruction takes an issue
// slot, and shared accesses are not merged. What the model leaves out: handout/student/virtual-gpu.md.
// Covered by tests/model/time_test.cpp; held against an H200 in grader/doc/validation.md.
#pragma once

#include "vgpu/facts/counters.hpp"
#include "vgpu/model/kernel_time.hpp"
#include "vgpu/model/occupancy.hpp"
#include "vgpu/model/profile.hpp"
#include "vgpu/model/work.hpp"

namespace vgpu {

struct LaunchShape {
  std::uint64_t blocks = 1;
  std::uint64_t threads_per_block = 1;
  Occupancy occupancy;
};

/// The name of what takes longest, "launch" included.
std::string_view limiter_name(const KernelTime& time);

KernelTime kernel_time(const Profile& profile, const LaunchShape& shape, const Counters& counters,
                       const Work& work);

}  // namespace vgpu
