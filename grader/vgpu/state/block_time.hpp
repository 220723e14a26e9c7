// The time for which a block has run, of a program that reads the clock (cost/block_clock.hpp). In clocks.
#pragma once

namespace vgpu::exec {

/// Sums over all warps of a block.
struct WarpClocks {
  double waits = 0;  ///< in which a warp waits for results
  double busy = 0;   ///< in which its SM issues instructions
};

struct BlockTime {
  /// When the present round began. In a round, all warps that can run have a turn, one after another; as time
  /// is counted, these turns run at the same time.
  double round = 0;
  double latest = 0;  ///< the end of the round's longest turn so far
  double warps = 1;   ///< that have a turn in the round
  WarpClocks turn;    ///< the sums when the present turn began
};

}  // namespace vgpu::exec
