// Runs the blocks of a wave (grid.hpp) on several workers at the same time, each block in its own view of
// memory, and applies what they did to memory: with several workers, each applies a part of memory. What
// depends on the order of the blocks apart from that is left to the caller, block by block, or for all blocks
// together if their order makes no difference.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "vgpu/check/launch_checker.hpp"
#include "vgpu/run/block_outcome.hpp"
#include "vgpu/run/grid.hpp"
#include "vgpu/run/worker_pool.hpp"

namespace vgpu::exec {

/// What the caller needs of each block. Workers write it while they have the block's outcome in their caches:
/// these figures of all blocks are few lines of memory.
struct BlockFigures {
  Stop stop = Stop::abandoned;
  bool needs_turn = false;  ///< the order of the blocks makes a difference for more than memory
  PartSet parts;            ///< for which the wave has something to apply
  std::uint64_t warp_instructions = 0, loaded_bytes = 0, stores = 0, stored_granules = 0;

  static BlockFigures of(const BlockOutcome& outcome);
};

class Wave {
 public:
  /// The parts of memory for this number of workers.
  static unsigned parts(std::uint64_t workers);

  /// `checker`: null, or has parts(workers) parts. Throws std::bad_alloc, as do run() and apply().
  Wave(const LaunchContext& launch, GlobalMemory& memory, WorkerPool& pool, const GridOptions& options,
       std::uint64_t workers, LaunchChecker* checker);

  /// Runs blocks, each with at most `budget` warp instructions.
  void run(std::uint64_t first, std::uint64_t count, std::uint64_t budget);
  /// Applies blocks, from the first one on, to memory and to the search for races, until one has to run again
  /// or ends the launch. None if there are few blocks or one part. Returns their number.
  std::uint64_t apply();
  /// Whether the order of the blocks, all of which were applied, makes no difference for the rest. Everything
  /// that they stored is then marked as written.
  bool can_commit_together() const { return are_marked_ && (checker_ == nullptr || !checker_->has_found()); }
  /// Keeps what the workers counted in all blocks of the wave.
  void keep_counts() { keeps_counts_ = true; }
  /// Adds what was kept, after the last wave.
  void add_counts_to(Counters& counters, SharedUse& shared_use);

  BlockOutcome& outcome(std::uint64_t index) { return *outcomes_[index]; }
  const BlockFigures& figures(std::uint64_t index) const { return figures_[index]; }
  const std::vector<std::unique_ptr<BlockRunner>>& runners() const { return runners_; }
  /// Frees the memory, and that of the checker. Much memory takes long to free, so that each worker frees its
  /// share.
  void release();

 private:
  /// What one worker adds up.
  struct alignas(kCacheLine) Sums {
    Counters counters, kept_counters;
    SharedUse shared_use, kept_shared_use;

    /// Ends the wave.
    void settle(bool keeps_counts);
  };

  void allocate();
  void run_block(std::uint64_t index, std::uint64_t budget, BlockRunner& runner,
                 std::atomic<std::uint64_t>& first_fault);
  void take_figures(std::uint64_t index, Sums& sums);
  std::uint64_t blocks_to_apply() const;
  void apply_part(unsigned part, std::uint64_t count);
  MemoryPart part_of_memory(unsigned index) const;
  template <class Work>
  void for_threads(std::uint64_t count, Work work);

  const LaunchContext& launch_;
  GlobalMemory& memory_;
  WorkerPool& pool_;
  const GridOptions& options_;
  LaunchChecker* checker_;
  unsigned parts_;  ///< of memory, to which as many workers apply what the blocks did
  std::vector<std::unique_ptr<BlockRunner>> runners_;  ///< one per worker
  std::vector<std::optional<BlockOutcome>> outcomes_;
  std::vector<BlockFigures> figures_;  ///< by outcome; set if there are several parts
  std::vector<Sums> sums_;             ///< by worker; as `figures_`
  std::uint64_t first_ = 0, count_ = 0;
  bool are_marked_ = false;
  bool keeps_counts_ = false;  ///< of the last wave that ran
  std::atomic<bool> out_of_memory_ = false;
};

}  // namespace vgpu::exec
