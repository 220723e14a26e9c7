// Explains the crash of host code: names its line, and a device pointer that it followed.
#pragma once

namespace vgpu::cudart::client {

/// Once, when a device is found; leaves a handler of the program's own alone.
void explain_host_crashes();

}  // namespace vgpu::cudart::client
