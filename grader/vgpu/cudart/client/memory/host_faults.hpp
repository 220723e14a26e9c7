// Faults of host code: those at memory that is closed to it (host_guard.hpp) are let through; others end the
// program, and before they do their line is named, and a device pointer that was followed. The device says
// what it has to say before the program is gone, as it does after abort().
#pragma once

namespace vgpu::cudart::client {

/// Once, when a device is found; leaves a handler of the program's own alone.
void handle_host_faults();

/// Still: the program may have put a handler of its own in this one's place.
bool handles_host_faults();

}  // namespace vgpu::cudart::client
