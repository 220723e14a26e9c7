// The virtual GPU for one program that is not a submission: serves the program until it exits and reports the
// errors of its kernels on stderr as they occur. The program is the user's own, but its messages are
// validated like those of any other program. Covered by tests/standalone/.
#pragma once

#include <cstdint>
#include <optional>

#include "vgpu/cudart/device_side/server.hpp"

namespace grader {

struct DeviceSettings {
  vgpu::Profile profile = vgpu::lecture_profile();
  /// Of the device's memory. Not set: three quarters of the machine's memory, since programs are written for
  /// GPUs with more than the profile's.
  std::optional<std::uint64_t> memory_bytes;
  vgpu::Checks checks = vgpu::Checks::all();
  bool records = false;      ///< launches have a recording; requires checks
  bool is_silent = false;    ///< nothing is reported on stderr, and the program's own output is discarded
  unsigned cpu_threads = 0;  ///< 0: one per hardware thread of the machine
  /// Limit on warp instructions per launch: ends an endless kernel after minutes, not hours.
  std::uint64_t step_limit = std::uint64_t{1} << 36U;
};

/// Returns when the program has closed its connection; its running kernels are then stopped.
vgpu::cudart::SessionReport serve_program(int socket, const DeviceSettings& settings);

}  // namespace grader
