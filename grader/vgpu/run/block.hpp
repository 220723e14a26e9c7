// Runs one block: its warps one after another, each to where it has to wait or to its end, until all have
// ended. Deterministic; knows nothing of other blocks.
#pragma once

#include <memory>

#include "vgpu/cost/cache_trace.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// A core and the memory it needs for blocks of one launch: registers, shared and local memory. Set up once a
/// launch, used for many blocks. One thread at a time.
class BlockRunner {
 public:
  /// Throws std::bad_alloc if the host has no memory for it.
  BlockRunner(const LaunchContext& launch, GlobalMemory& memory);
  ~BlockRunner();

  /// Runs block number `index` of the grid, with at most `budget` warp instructions, to its end. What it
  /// writes goes to `view`. Afterwards core() holds what happened.
  void run(std::uint64_t index, std::uint64_t budget, BlockView& view, const Interrupt* interrupt);
  /// The same for a block that writes device memory itself and may have to wait for others: then core().stop
  /// is Stop::waits.
  void start(std::uint64_t index, std::uint64_t budget, const Interrupt* interrupt);
  /// Runs a block that waits for its next turn, with a new budget.
  void go_on(std::uint64_t budget, const Interrupt* interrupt);
  Core& core() { return core_; }
  /// Of the last block.
  const Counters& counters() const { return counters_; }
  /// Of all blocks that ran to their end.
  const SiteCounts& sites() const { return sites_; }
  /// What the last block asks of L2; nullptr if the device has no caches.
  CacheTrace* trace() { return trace_.get(); }

 private:
  void begin(std::uint64_t index, std::uint64_t budget, BlockView* view, const Interrupt* interrupt);
  void end();
  void run_warps();
  bool wait_for_others();
  void run_warp(Warp& warp);
  void check_parked(Warp& warp);
  void meet_in_cache();
  void fail_divergent_barrier(Warp& warp);
  void fail_deadlock();

  Core core_;
  Counters counters_;
  SiteCounts sites_;
  std::unique_ptr<CacheTrace> trace_;
  std::unique_ptr<BlockChecker> checker_;
  AlignedBytes registers_, shared_, local_;
  std::size_t warp_local_bytes_ = 0;  ///< local memory of a warp
  bool has_waited_ = false;           ///< no warp has made progress since the block's last turn
};

}  // namespace vgpu::exec
