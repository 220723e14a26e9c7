// Runs all blocks of a launch, over several threads, with results that do not depend on how many.
//
// Blocks run in waves of kWaveBlocks consecutive blocks. During a wave device memory is read-only for
// everybody: each block writes into a view of its own (block_view.hpp) and sees memory as it was when the
// wave began, with its own writes on top. After the wave the views are committed in block order. So there is
// no data race in this program whatever the kernel does, and a kernel whose blocks race gives the same result
// every time.
//
// Atomics whose result nobody reads are combined within the block and applied at commit. A block that needs
// to know what other blocks wrote (an atomic with a result, a volatile or acquiring load, a read of what it
// only reduced into), or that wrote more than its view may hold, is stopped; when its turn to commit comes it
// is run again from its start, alone and directly on memory. Kernels in which such an instruction names
// global memory outright skip the wave and run block after block, and so do cooperative launches.
//
// A block that runs alone and waits for others in a loop (spinning.hpp) is put aside. Later blocks start, as
// many as the device holds at once; then those that wait take turns, in block order, until one ends and makes
// room. So programs end that would end on a GPU: grid barriers, locks, flags set by later blocks. Those that
// would not (waiting for a block that has no room yet) are given up when nobody has seen anything new for
// long.
//
// The step limit is deterministic too: a block may take what the blocks before its wave left of the launch's
// budget, and the block at whose commit the sum exceeds the budget is the one that faults.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "vgpu/check/access_summary.hpp"
#include "vgpu/cost/machine_work.hpp"
#include "vgpu/run/worker_pool.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

inline constexpr std::uint64_t kWaveBlocks = 256;

struct GridResult {
  Counters counters;  ///< of all blocks up to the one that faulted
  /// What blocks behind a faulting one had already run depends on timing: empty after a fault.
  std::vector<LineCounters> lines;
  Work work;  ///< of the same blocks
  std::vector<Fault> findings;
  std::vector<MemoryAccess> accesses;  ///< LaunchRecord's
  std::optional<Fault> fault;          ///< of the first block, in block order, that has one
  std::string printed;                 ///< at most LaunchContext::printf_bytes, in block order
  bool stopped = false;                ///< `stop` was set: results are incomplete
  bool out_of_memory = false;          ///< the host has no memory for registers, shared and local memory
};

struct GridOptions {
  std::uint64_t step_limit = 0;             ///< warp instructions
  const std::atomic<bool>* stop = nullptr;  ///< may be null
  std::uint64_t resident_blocks = 1;        ///< blocks that the device holds at once
};

GridResult run_grid(const LaunchContext& launch, GlobalMemory& memory, WorkerPool& pool,
                    const GridOptions& options);

}  // namespace vgpu::exec
