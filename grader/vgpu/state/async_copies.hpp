// Asynchronous copies from global to shared memory (PTX ISA 9.7.9.25, cp.async). The bytes are read when the
// copy starts and written to shared memory when a thread waits for them, never earlier: a program that
// forgets to wait reads the old contents in every run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// A copy, or an arrival at an mbarrier that takes place when all copies that the thread started earlier have
/// finished.
struct PendingCopy {
  enum class Kind : std::uint8_t {
    copy,
    arrival,          ///< cp.async.mbarrier.arrive.noinc: the barrier already expects this arrival
    counted_arrival,  ///< cp.async.mbarrier.arrive: the barrier expects one more arrival
  };
  std::uint64_t to = 0;      ///< offset in shared memory, of the destination or the barrier
  std::uint32_t group = 0;   ///< number of the thread's copy group
  std::uint32_t origin = 0;  ///< index into Program::origins of the instruction
  std::uint8_t lane = 0;
  std::uint8_t bytes = 0;
  Kind kind = Kind::copy;
  std::array<std::byte, 16> data{};
};

/// The unfinished copies of one warp.
struct AsyncCopies {
  std::vector<PendingCopy> pending;               ///< in the order in which they were started
  std::array<std::uint32_t, kWarpLanes> group{};  ///< by lane: the number of its open group
};

}  // namespace vgpu::exec
