// Explains the crash of host code: names its line, and a device pointer that it followed. The device says
// what it has to say before the program is gone, as it does after abort().
#pragma once

namespace vgpu::cudart::client {

/// Once, when a device is found; leaves a handler of the program's own alone.
void explain_host_crashes();

}  // namespace vgpu::cudart::client
