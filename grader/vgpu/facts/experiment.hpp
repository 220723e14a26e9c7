// Experiments, to find out whether results depend on values: kernels in which values are changed on their
// way, and memory that holds other values before a program writes it.
#pragma once

#include <cstdint>
#include <optional>

namespace vgpu {

/// Which values are changed; floats are multiplied by powers of two. The same bits can be integers: only bit
/// patterns that are floats of moderate size are scaled, which small integers, such as indices, are not.
/// Powers of two stay as they are: a 1 for show, by which results are multiplied, changes nothing.
enum class Scaled : std::uint8_t {
  nothing,
  /// What a thread gets from another one through shared memory: each thread multiplies what it stores by a
  /// power of its own, and divides what it loads by it.
  shared_memory,
  exchanges,  ///< the same for what a lane gets from another one by shfl
  /// What threads load from constant memory, by 2, or by 4 if the value is nearer to the next power of two:
  /// a factor that is the same for all elements multiplies all results by the same.
  constant_loads,
  /// What several threads load from shared memory, and another thread stored, by 2, except for the first that
  /// loads it: floats carry the name of the thread that stored them, and some bits of the first other one
  /// that loaded them, in the lowest 15 bits.
  shared_loads,
  /// The same four for floats below 1 only, by powers that keep stored values below 1: an index or a size
  /// that is stored as a float remains right.
  shared_memory_below_1,
  exchanges_below_1,
  constant_loads_below_1,
  shared_loads_below_1,
  /// No floats: activemask names only half of the lanes, as if the halves ran apart. A lane is in the half of
  /// the parity of its number's bits: so each pair of lanes whose distance is a power of two is parted, also
  /// in small groups.
  active_masks,
  /// No floats: a block gets the coordinates of its opposite in the grid, so that blocks run in the opposite
  /// order, and so do the warps of a block.
  block_order,
  /// The same, and the first atomic operations and volatile stores of each thread let other warps and blocks
  /// run before them.
  block_turns,
  /// No floats: votes return masks without half of the lanes (as active_masks), and x that a lane gets by
  /// shfl or redux becomes 2 x + 1.
  votes,
};

/// What differs from a usual run.
struct Experiment {
  Scaled scaled = Scaled::nothing;
  /// What memory holds after Device::forget(): this word everywhere; nullopt: kUnwrittenWords.
  std::optional<std::uint32_t> forgotten = {};
};

}  // namespace vgpu
