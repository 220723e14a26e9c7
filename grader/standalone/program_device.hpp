// The virtual GPU for one program that is no submission: serves it until it leaves and says on stderr what
// its kernels do wrong, when they do it. The program is the user's own, yet its messages are checked as
// everybody's. Covered by tests/standalone/.
#pragma once

#include <cstdint>

#include "vgpu/cudart/device_side/server.hpp"

namespace grader {

struct DeviceSettings {
  vgpu::Profile profile = vgpu::lecture_profile();
  vgpu::Checks checks = vgpu::Checks::all();
  unsigned cpu_threads = 0;  ///< 0: all that the machine has
  /// Warp instructions a launch may take: minutes, not hours.
  std::uint64_t step_limit = std::uint64_t{1} << 36U;
};

/// Returns when the program has left. Kernels of a program that is gone are stopped.
vgpu::cudart::SessionReport serve_program(int socket, const DeviceSettings& settings);

}  // namespace grader
