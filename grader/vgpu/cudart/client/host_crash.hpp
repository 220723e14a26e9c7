// Explains the crash of host code that follows a device pointer.
#pragma once

namespace vgpu::cudart::client {

/// Once, when a device is found; leaves a handler of the program's own alone.
void explain_host_crashes();

}  // namespace vgpu::cudart::client
