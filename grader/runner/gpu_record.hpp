// The state of a real GPU during a measurement. Pure. Covered by tests/runner/gpu_watch_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace grader {

/// Numbers are 0 if the driver does not report them.
struct GpuRecord {
  std::string name, uuid, driver;
  unsigned sm_mhz = 0, memory_mhz = 0;  ///< medians of the samples
  unsigned power_cap_w = 0;
  unsigned temperature_c = 0;             ///< the highest
  std::vector<std::string> throttled_by;  ///< reasons for lower clocks: "power cap", "temperature"
  std::optional<bool> ecc;                ///< whether error correction is on
  unsigned other_processes = 0;           ///< with a context on the GPU, not of this measurement
  unsigned busy_processes = 0;            ///< those of them that used its multiprocessors

  friend bool operator==(const GpuRecord&, const GpuRecord&) = default;
};

/// A reason of nvmlDeviceGetCurrentClocksThrottleReasons().
struct ThrottleReason {
  std::uint64_t bit;
  const char* name;
  bool disturbs;  ///< the measured times do not count
};
/// A power cap is how GPUs run under load. Idle clocks and settings of the administrator are no reasons here.
inline constexpr ThrottleReason kThrottleReasons[] = {{0x04, "power cap", false},
                                                      {0x08, "hardware slowdown", true},
                                                      {0x20, "temperature", true},
                                                      {0x40, "temperature of the hardware", true},
                                                      {0x80, "power brake", true}};

/// Why times measured meanwhile do not count, as a clause; empty: they do.
std::string why_disturbed(const GpuRecord& record);

}  // namespace grader
