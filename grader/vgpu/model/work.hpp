// The demand of a launch on an SM in addition to memory traffic, in terms of machine code: estimated per
// instruction from the PTX (cost/machine_work.hpp), counted exactly, summed over all warps. Input of
// model/time.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vgpu/model/atomic_load.hpp"

namespace vgpu {

/// Units that execute warp instructions.
enum class Pipe : std::uint8_t {
  fp32,
  fp64,
  integer,
  special,
  conversion,
  load_store,
  tensor,       ///< counts units of work: 512 multiply-adds of f16 each
  tensor_fp64,  ///< counts units of 256 multiply-adds
  texture,
  none
};
inline constexpr std::size_t kPipes = 9;
inline constexpr double kTensorUnit = 512, kTensorFp64Unit = 256;

/// The kinds of results and events for which a warp waits.
enum class Wait : std::uint8_t {
  arithmetic,
  fp64,
  special,
  shared,  ///< shared memory, shuffles
  local,   ///< local and constant memory
  global,
  atomic,  ///< the old value of global memory
  barrier,
  tensor,
  texture,  ///< fetches, loads from surfaces
};
inline constexpr std::size_t kWaits = 10;

struct Work {
  std::uint64_t issued = 0;  ///< warp instructions
  std::array<std::uint64_t, kPipes>
      by_pipe{};  ///< warp instructions by unit, except where Pipe defines another count
  /// Waits of a warp along the longest chains of dependent instructions.
  std::array<std::uint64_t, kWaits> waits{};
  std::uint64_t l1_lines = 0;  ///< lines of 128 bytes that global and local accesses look up in L1
  /// Sectors of loads found in L1 on lines that another warp of the block requests from L2 at the same time.
  std::uint64_t l1_in_flight_sectors = 0;
  std::uint64_t stored_lines = 0;  ///< writes to lines that L1 passes on to L2, without atomics
  AtomicLoad hottest_atomics;      ///< for each kind of load, that of the busiest line of global memory

  std::uint64_t& operator[](Pipe pipe) { return by_pipe[static_cast<std::size_t>(pipe)]; }
  std::uint64_t operator[](Pipe pipe) const { return by_pipe[static_cast<std::size_t>(pipe)]; }
  std::uint64_t& operator[](Wait wait) { return waits[static_cast<std::size_t>(wait)]; }
  std::uint64_t operator[](Wait wait) const { return waits[static_cast<std::size_t>(wait)]; }
};

}  // namespace vgpu
