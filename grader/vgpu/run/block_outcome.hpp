// What a block that has run leaves for its turn to commit (grid.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/run/block.hpp"

namespace vgpu::exec {

inline constexpr std::size_t kCacheLine = 64;  // of processors

/// Aligned, since workers write neighbouring outcomes at the same time.
struct alignas(kCacheLine) BlockOutcome {
  explicit BlockOutcome(std::size_t view_bytes) : view(view_bytes) {}
  /// Takes all but the view, which the block has written.
  void take(BlockRunner& runner);
  std::uint64_t stores() const {
    return counters.global_stores.requests + counters.global_atomics.requests +
           counters.surface_stores.requests;
  }
  std::uint64_t loaded_bytes() const {
    return counters.global_loads.requested_bytes + counters.texture_fetches.requested_bytes +
           counters.surface_loads.requested_bytes;
  }

  /// For the processor's caches, some time before the outcome is applied: the lists of what the block stored.
  void prefetch() const {
    view.prefetch();
    __builtin_prefetch(&log);
  }
  /// Some time after that: what is in them.
  void prefetch_lists() const {
    view.prefetch_lists();
    __builtin_prefetch(log.runs.data());
  }

  BlockView view;
  Stop stop = Stop::abandoned;
  Fault fault;
  Counters counters;
  std::string printed;
  std::vector<LineAccess> passed_on;  ///< from L1 to L2
  AtomicLoads atomics;
  std::uint64_t l1_lines = 0;  ///< lines looked up in L1
  std::uint64_t l1_in_flight_sectors = 0;
  std::vector<Fault> findings;
  BlockLog log;
  std::uint64_t stored_granules = 0;
  SharedUse shared_use;
  std::optional<BlockRecording> recording;
  StoredTerms terms;
};

/// Blocks after a faulting block are discarded, and all blocks once the caller has stopped the launch.
class GiveUp : public Interrupt {
 public:
  GiveUp(const std::atomic<bool>* stop, const std::atomic<std::uint64_t>* first_fault, std::uint64_t block)
      : stop_(stop), first_fault_(first_fault), block_(block) {}
  bool abandon() const override {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) return true;
    return first_fault_ != nullptr && first_fault_->load(std::memory_order_relaxed) < block_;
  }

 private:
  const std::atomic<bool>* stop_;
  const std::atomic<std::uint64_t>* first_fault_;
  std::uint64_t block_;
};

}  // namespace vgpu::exec
