// Allocation of device memory, for the calls that differ only in how they are asked for it.
#pragma once

#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {

/// Bytes between rows start at multiples of this, as on GPUs since compute capability 2.0.
inline constexpr std::size_t kPitchAlignment = 512;

/// The error of a call that names another device than the only one.
inline Outcome require_device_0(int first, int second = 0) {
  if (first == 0 && second == 0) return {};
  return {cudaErrorInvalidDevice, "there is only device 0"};
}

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
