// Runs all blocks of a launch on several threads, with results that do not depend on their number.
//
// Blocks run in waves of kWaveBlocks consecutive blocks. During a wave device memory is read-only: each block
// writes into its own view (block_view.hpp) and sees memory as it was when the wave began, with its own
// writes on top. After the wave the views are committed in block order. So this program has no data race
// whatever the kernel does, and a kernel whose blocks race gives the same result in every run.
//
// Atomics without a result are combined within the block and applied at commit. A block that needs values
// that other blocks wrote (an atomic with a result, a volatile or acquiring load, a read of memory into which
// it only reduced), or that wrote more than its view can hold, is stopped; when its turn to commit comes, it
// is run again from its start, alone and directly on memory. Kernels in which such an instruction names
// global memory explicitly, and cooperative launches, skip the wave and run block after block.
//
// A block that runs alone and waits for others in a loop (spinning.hpp) is suspended. Later blocks start, as
// many as the device can hold; then the waiting blocks take turns until one ends and makes
// room. A block that would only do again what it did in its last turn is passed over until another block has
// changed memory. So programs that end on a GPU end here: grid barriers, locks, flags set by later blocks.
// Programs that do not end on a GPU (because they wait for a block that is not resident yet) are stopped when
// no thread has seen a new value for a long time (LaunchContext::max_polls_in_vain).
//
// The step limit is deterministic too: a block can use the part of the launch's budget that the blocks before
// its wave left, and the block at whose commit the sum exceeds the budget faults.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "vgpu/cost/machine_work.hpp"
#include "vgpu/facts/recording.hpp"
#include "vgpu/facts/shared_use.hpp"
#include "vgpu/races/access_summary.hpp"
#include "vgpu/run/worker_pool.hpp"
#include "vgpu/state/warp.hpp"
#include "vgpu/terms/term_memory.hpp"

namespace vgpu::exec {

inline constexpr std::uint64_t kWaveBlocks = 256;

struct GridResult {
  Counters counters;  ///< of all blocks up to and including the faulting one
  /// Empty after a fault: which blocks after the faulting one had already run depends on timing.
  std::vector<LineCounters> lines;
  Work work;  ///< like `lines`
  std::vector<Fault> findings;
  std::vector<MemoryAccess> accesses;  ///< as in LaunchRecord
  SharedUse shared_use;                ///< as in LaunchRecord, like the next member
  std::uint64_t working_blocks = 0, loading_blocks = 0, storing_blocks = 0;  ///< working_blocks.hpp
  std::optional<Fault> fault;          ///< of the first block, in block order, that has one
  bool blocks_wait = false;            ///< a block that ran alone waited for others
  std::string printed;                 ///< at most LaunchContext::printf_bytes, in block order
  bool stopped = false;                ///< `stop` was set: results are incomplete
  std::optional<Recording> recording;  ///< with GridOptions::records; like `lines`
  bool out_of_memory = false;  ///< the host has too little memory for registers, shared and local memory
};

struct GridOptions {
  std::uint64_t step_limit = 0;             ///< warp instructions
  const std::atomic<bool>* stop = nullptr;  ///< can be null
  std::uint64_t resident_blocks = 1;        ///< number of blocks that the device can hold
  bool in_order = false;                    ///< skip the wave, whatever the kernel does
  bool records = false;                     ///< requires Checks
  /// Not null: what the kernel stores is followed. Requires Checks, one worker, and no records.
  TermMemory* terms = nullptr;
};

GridResult run_grid(const LaunchContext& launch, GlobalMemory& memory, WorkerPool& pool,
                    const GridOptions& options);

}  // namespace vgpu::exec
