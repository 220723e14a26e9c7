// Modelled kernel time, from counts alone: no instruction is simulated in time.
//
// A launch keeps each part of the device (TimePart) busy for a time. The parts work in parallel, so the
// launch takes at least as long as its slowest part. S is the number of SMs, clock the SMs' clock rate.
//
// Blocks are distributed to the SMs in turn. The busiest SM has n = ceil(blocks / S) of them. It runs
// r = min(n, blocks that fit on an SM: occupancy.hpp) at the same time, in w = ceil(n / r) waves. Parts of an
// SM are modelled for this SM (the tail of the last wave), which does the fraction u = n / blocks of the
// work. A block that executes less than about half as many instructions as the busiest one counts as idle
// (run/working_blocks.hpp): it takes only the time to start it.
//
//   issue        u · instructions / (issues_per_clock · clock)
//   a unit       u · its instructions · 32 / (its lanes · clock)
//                  (CUDA C++ Programming Guide, "Arithmetic Instructions", gives lanes per clock)
//   tensor       u · multiply-adds / (tensor_fma_per_clock · clock), where tf32 counts twice and bytes half
//                  (NVIDIA A100 and H100 whitepapers); double precision has a rate of its own
//   constants    a load whose lanes read a different addresses of constant memory is repeated a - 1 times: as
//                many more instructions for issue and the load and store units, and 11 clocks of latency each
//                (measured on an H200: 1 address a clock an SM, whatever the size of the values)
//   texture      u · its wavefronts / (texture_wavefronts_per_clock · clock)
//   shared       u · wavefronts / (shared_wavefronts_per_clock · clock)
//   l1           u · (lines looked up + wavefronts) / (l1_lines_per_clock · clock)
//                  (L1 and shared memory are one memory with one port: Jia et al., arXiv 1804.06826)
//   l2           (sectors read · 32 + lines written · 128 bytes) / l2_bytes_per_s, and per SM at most
//                l2_bytes_per_clock: a warp's store to a line takes as long as a whole line (measured on an
//                H200 with transposes, validation.md)
//   dram         bytes / (dram_bytes_per_s · dram_achievable_fraction)
//   atomics      lanes / (l2_atomics_per_clock · clock), or on the busiest line, one after another:
//                same_address_atomic_clocks (same_address_float_atomic_clocks) per lane on one word,
//                same_line_atomic_clocks per request for several words
//
// The last part is latency. A warp that runs alone waits for L = its waits · the latency of each kind. Warps
// that run at the same time are customers of a closed queueing network with the parts above as servers. They
// take at least as long as one alone, L + D, where D is its demand on the busiest part (asymptotic bounds:
// Denning and Buzen, ACM Computing Surveys 10(3), 1978; with D = 0 Little's law, as used by Volkov,
// "Understanding Latency Hiding on GPUs", 2016). Without barriers the customers are warps. With barriers they
// are blocks, whose warps run in step: they wait for memory and at barriers at the same time (M, a part of
// L), and fill each other's other waits, so a block alone takes the longer of L and M + D. Of the loads that
// a warp waits for between two barriers only the first counts for M: warps whose data arrive first continue
// while the others wait.
//
//   latency      w · (L + D), or w · max(L, M + D)
//                Loads wait for L1, L2 or DRAM in proportion to the sectors found there; fetches wait
//                texture_latency_clocks longer. Loads that are issued together wait for the slowest: the
//                latency of DRAM has a spread s, so that of n loads the slowest takes s · (1/1 + … + 1/(n-1))
//                longer than the average (a logistic distribution; single loads on an H200, validation.md). A
//                line that another warp requests at the same time is not in L1 yet. The first wave finds
//                nothing in L2, since its blocks run in parallel.
//
// An SM takes block_launch_clocks to start a block, proportionally more for blocks of more than 8 warps, and
// does nothing else meanwhile: n such times are added to the parts of an SM (those up to l1). A launch runs
// for as long as the slowest of three: the parts of an SM, the parts of the device (l2 to atomics), and
// waits (w · L). Where two of them are close, each delays the other, so the cube root of the sum of their
// cubes is taken; the exponent is from copies and saxpy with one element per thread (validation.md). Where
// every latency is 0, the largest counts. It runs at least as long as the latency part. With barriers the
// busiest part is idle at first: the launch takes at least M + the time of that part. The time that starting
// blocks adds to the slowest part counts as launch, together with
//
//   launch       kernel_launch_s, and where memory is cold two latencies of DRAM: for the kernel's
//                parameters and its code
//
// On profiles where PTX counts as machine code (ptx_is_machine_code) every PTX instruction takes an issue
// slot, and shared accesses are not merged. The limits of the model: handout/student/virtual-gpu.md.
// Covered by tests/model/time_test.cpp; compared with an H200 in grader/doc/validation.md.
#pragma once

#include "vgpu/facts/counters.hpp"
#include "vgpu/model/kernel_time.hpp"
#include "vgpu/model/occupancy.hpp"
#include "vgpu/model/profile.hpp"
#include "vgpu/model/work.hpp"

namespace vgpu {

struct LaunchShape {
  std::uint64_t blocks = 1;  ///< without idle ones
  std::uint64_t threads_per_block = 1;
  Occupancy occupancy;
  std::uint64_t idle_blocks = 0;
};

/// The clocks of one wait. Caches decide how long loads and fetches from global memory wait; here, they find
/// all data in L2.
double latency_clocks(const Profile& profile, Wait wait);

/// The name of the part that takes longest, or "launch".
std::string_view limiter_name(const KernelTime& time);

KernelTime kernel_time(const Profile& profile, const LaunchShape& shape, const Counters& counters,
                       const Work& work);

}  // namespace vgpu
