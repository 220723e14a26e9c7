// What a launch asks of an SM beside memory traffic, as machine code would: estimated from the PTX
// (cost/machine_work.hpp), counted exactly, summed over all warps. Input of model/time.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vgpu/model/atomic_load.hpp"

namespace vgpu {

/// Units that take warp instructions.
enum class Pipe : std::uint8_t {
  fp32,
  fp64,
  integer,
  special,
  conversion,
  load_store,
  tensor,       ///< counts what takes as long as 512 multiply-adds of f16
  tensor_fp64,  ///< counts 256 multiply-adds
  none
};
inline constexpr std::size_t kPipes = 8;
inline constexpr double kTensorUnit = 512, kTensorFp64Unit = 256;

/// What a warp waits for.
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
};
inline constexpr std::size_t kWaits = 9;

struct Work {
  std::uint64_t issued = 0;                     ///< warp instructions
  std::array<std::uint64_t, kPipes> by_pipe{};  ///< warp instructions of a unit, if Pipe says nothing else
  /// How often a warp waits along the longest chains of instructions that need each other's results.
  std::array<std::uint64_t, kWaits> waits{};
  std::uint64_t l1_lines = 0;  ///< of 128 bytes, that global and local accesses look up in L1
  /// Sectors of loads found in L1 on lines that another warp of the block asks L2 for at the same time.
  std::uint64_t l1_in_flight_sectors = 0;
  std::uint64_t stored_lines = 0;  ///< writes to lines that L1 passes on to L2, atomics apart
  AtomicLoad hottest_atomics;      ///< of the line of global memory with most, for each kind

  std::uint64_t& operator[](Pipe pipe) { return by_pipe[static_cast<std::size_t>(pipe)]; }
  std::uint64_t operator[](Pipe pipe) const { return by_pipe[static_cast<std::size_t>(pipe)]; }
  std::uint64_t& operator[](Wait wait) { return waits[static_cast<std::size_t>(wait)]; }
  std::uint64_t operator[](Wait wait) const { return waits[static_cast<std::size_t>(wait)]; }
};

}  // namespace vgpu
