// The clock that kernels read (%clock64, %globaltimer), by the rules of the time model (model/time.hpp), so
// that a kernel's clock, events and modelled times agree. Covered by tests/vgpu/block_clock_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/model/profile.hpp"
#include "vgpu/state/block_time.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// The clock of a launch. What changes while a block runs is in Core::time.
class BlockClock {
 public:
  BlockClock(const Program& program, const Profile& profile);

  /// `warps` warps have a turn each until the next begin_round().
  void begin_round(Core& core, std::size_t warps) const;
  void begin_turn(Core& core) const;
  void end_turn(Core& core) const;

  /// The clocks since the block began, for the warp whose turn it is: max(L + D, W · D) since the round
  /// began, if the warp waited L clocks and its SM issued its instructions in D clocks, with W warps doing
  /// the same. Caches are unknown while a block runs, so loads from global memory count as found in L2. Never
  /// decreases for a warp.
  std::uint64_t clocks(const Core& core) const;
  std::uint64_t nanoseconds(const Core& core) const;

 private:
  struct Site {
    std::uint32_t code = 0;
    double waits = 0;  ///< clocks that a warp waits for each execution
    double slots = 0;  ///< machine instructions
  };
  WarpClocks sums(const Core& core) const;
  double now(const Core& core) const;

  std::vector<Site> sites_;  ///< empty: every PTX instruction is one machine instruction, without waits
  double issues_per_clock_ = 1;
  double clock_hz_ = 1;
};

}  // namespace vgpu::exec
