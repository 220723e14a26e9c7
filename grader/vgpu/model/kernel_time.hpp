// The modelled time of one kernel launch, split into what each part of the device would take alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vgpu {

/// The parts of the device whose busy time is modelled; model/time.hpp gives the formulas.
enum class TimePart : std::uint8_t {
  issue,       ///< schedulers that issue warp instructions
  fp32,        ///< lanes of single-precision arithmetic
  fp64,        ///< lanes of double-precision arithmetic
  integer,     ///< lanes of integer arithmetic and logic
  special,     ///< special functions
  tensor,      ///< tensor cores
  load_store,  ///< load and store units
  texture,     ///< the texture unit
  shared,      ///< banks of shared memory
  l1,          ///< lines of the L1 cache, and passes of shared memory where the two are one memory
  l2,          ///< bytes between L2 and the SMs
  dram,        ///< bytes of device memory
  atomics,     ///< atomics in L2
  latency,     ///< time in which warps wait for results and no other warp has work
};
inline constexpr std::size_t kTimeParts = 14;

/// "DRAM", "instruction issue", …
std::string_view name_of(TimePart part);
/// "dram", "issue", …
std::string_view key_of(TimePart part);

struct KernelTime {
  std::array<double, kTimeParts> part_s{};
  double launch_s = 0;  ///< before the first block and after the last
  double run_s = 0;     ///< from the first block's start to the last one's end

  double operator[](TimePart part) const { return part_s[static_cast<std::size_t>(part)]; }
  double& operator[](TimePart part) { return part_s[static_cast<std::size_t>(part)]; }
  /// The part that takes longest; the first of equal ones.
  TimePart limiter() const;
  /// The longest of the computing parts: issue and the lanes.
  double compute_s() const;
  double total_s() const { return launch_s + run_s; }
};

}  // namespace vgpu
