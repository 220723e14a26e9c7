// Runs one block: its warps one after another, each until it has to wait or ends, until all have ended.
// Deterministic; independent of other blocks.
#pragma once

#include <memory>

#include "vgpu/cost/cache_trace.hpp"
#include "vgpu/record/recorder.hpp"
#include "vgpu/state/warp.hpp"
#include "vgpu/terms/term_recorder.hpp"

namespace vgpu::exec {

/// A core with the registers, shared and local memory for blocks of one launch. Set up once per launch, used
/// for many blocks. One thread at a time.
class BlockRunner {
 public:
  /// `records`: whether recorder() exists; `terms`: null, or terms() exists and adds to it. Not both. Throws
  /// std::bad_alloc if the host has too little memory.
  BlockRunner(const LaunchContext& launch, GlobalMemory& memory, bool records, TermMemory* terms);
  ~BlockRunner();

  /// Runs block number `index` of the grid to its end, with at most `budget` warp instructions. Its writes to
  /// global memory go to `view`. Afterwards core() holds the outcome.
  void run(std::uint64_t index, std::uint64_t budget, BlockView& view, const Interrupt* interrupt);
  /// Like run(), for a block that writes device memory itself and can wait for other blocks: core().stop is
  /// Stop::waits then.
  void start(std::uint64_t index, std::uint64_t budget, const Interrupt* interrupt);
  /// Continues a block that waits, with a new budget. core().stop is Stop::waits before.
  void resume_turn(std::uint64_t budget, const Interrupt* interrupt);
  /// Of a block that waits: the next turn will be the same as the last one, if no other block changes memory.
  bool is_idle() const;
  Core& core() { return core_; }
  /// Counters of the last block.
  const Counters& counters() const { return counters_; }
  /// Counts of all blocks that ran to their end.
  const SiteCounts& sites() const { return sites_; }
  /// The last block's requests to L2; nullptr if the device has no caches.
  CacheTrace* trace() { return trace_.get(); }
  /// The records of the last block; nullptr: nothing is recorded.
  BlockRecorder* recorder() { return recorder_.get(); }
  /// What the last block stored; nullptr: terms are not followed.
  TermRecorder* terms() { return terms_.get(); }

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
  std::unique_ptr<BlockRecorder> recorder_;
  std::unique_ptr<TermRecorder> terms_;
  StepRecorder* steps_ = nullptr;  ///< one of these two, or none
  std::unique_ptr<BlockChecker> checker_;
  AlignedBytes registers_, shared_, local_;
  std::size_t warp_local_bytes_ = 0;  ///< local memory of a warp
  bool has_waited_ = false;           ///< no warp has made progress since the block's last turn
  bool only_waits_ = false;           ///< in the whole turn and before it, all warps waited
};

}  // namespace vgpu::exec
