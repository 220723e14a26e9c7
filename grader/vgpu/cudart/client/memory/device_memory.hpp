// Allocation of device memory, for the calls that differ only in how they are asked for it.
#pragma once

#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {

/// Pooled memory is there at once; for other memory the driver may have to map a block of the device's.
enum class Backing { mapped, pooled };

/// size 0 gives a null pointer.
Outcome allocate_device(Runtime& runtime, void** pointer, std::size_t size_bytes,
                        Backing backing = Backing::mapped);
/// Of device or managed memory; a null pointer is left alone.
Outcome free_device(Runtime& runtime, void* pointer);
/// The same, and waits for the device.
Outcome free_device_and_wait(Runtime& runtime, void* pointer);

}  // namespace vgpu::cudart::client
