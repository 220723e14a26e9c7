// The modelled time of one kernel launch, split into what each part of the device would take alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vgpu {

/// Seconds that a part of the device is busy with a launch. model/time.hpp says how each is computed.
enum class TimePart : std::uint8_t {
  issue,       ///< schedulers that issue warp instructions
  fp32,        ///< lanes of single-precision arithmetic
  fp64,        ///< lanes of double-precision arithmetic
  integer,     ///< lanes of integer arithmetic and logic
  special,     ///< special functions
  tensor,      ///< tensor cores
  load_store,  ///< load and store units
  shared,      ///< banks of shared memory
  l1,          ///< the L1 cache's lines, shared memory's passes included where the two are one memory
  l2,          ///< bytes between L2 and the SMs
  dram,        ///< bytes of device memory
  atomics,     ///< atomics in L2
  latency,     ///< warps that wait for results, more than other warps can fill
};
inline constexpr std::size_t kTimeParts = 13;

/// "DRAM", "instruction issue", …
std::string_view name_of(TimePart part);
/// "dram", "issue", …
std::string_view key_of(TimePart part);

struct KernelTime {
  std::array<double, kTimeParts> part_s{};
  double launch_s = 0;  ///< before the first block and behind the last
  double run_s = 0;     ///< from the first block's start to the last one's end

  double operator[](TimePart part) const { return part_s[static_cast<std::size_t>(part)]; }
  double& operator[](TimePart part) { return part_s[static_cast<std::size_t>(part)]; }
  /// The part that takes longest; of equals the first.
  TimePart limiter() const;
  /// The longest of the parts that compute: issue and the lanes.
  double compute_s() const;
  double total_s() const { return launch_s + run_s; }
};

}  // namespace vgpu
