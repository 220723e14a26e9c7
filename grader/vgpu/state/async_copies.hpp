// Copies from global to shared memory that run behind a thread's back (PTX ISA 9.7.9.25, cp.async). The bytes
// are taken when the copy starts, and appear in shared memory when somebody waits for them, never earlier: a
// program that forgets to wait reads what was there before, every time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// A copy, or an arrival at an mbarrier that happens when the copies which the thread started before are
/// there.
struct PendingCopy {
  enum class Kind : std::uint8_t {
    copy,
    arrival,          ///< cp.async.mbarrier.arrive.noinc: one of those that the barrier expects
    counted_arrival,  ///< cp.async.mbarrier.arrive: the barrier expects one more
  };
  std::uint64_t to = 0;      ///< offset in shared memory, of the destination or the barrier
  std::uint32_t group = 0;   ///< number of the thread's group
  std::uint32_t origin = 0;  ///< of the instruction, index into Program::origins
  std::uint8_t lane = 0;
  std::uint8_t bytes = 0;
  Kind kind = Kind::copy;
  std::array<std::byte, 16> data{};
};

/// Of one warp.
struct AsyncCopies {
  std::vector<PendingCopy> pending;               ///< in the order in which they were started
  std::array<std::uint32_t, kWarpLanes> group{};  ///< of each lane: the number of its open group
};

}  // namespace vgpu::exec
