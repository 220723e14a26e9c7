// Allocation of device memory, for the API functions that allocate in different ways.
#pragma once

#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {

/// The pitch of rows is a multiple of this number of bytes, as on GPUs since compute capability 2.0.
inline constexpr std::size_t kPitchAlignment = 512;

/// Returns an error if a call names a device other than device 0.
inline Outcome require_device_0(int first, int second = 0) {
  if (first == 0 && second == 0) return {};
  return {cudaErrorInvalidDevice, "the only device is device 0"};
}

/// Allocates device memory: in stream order if there is an issue. A size of 0 gives a null pointer.
Outcome allocate_device(Runtime& runtime, void** pointer, std::size_t size_bytes,
                        const std::optional<Issue>& issue = {});
/// Frees device or managed memory: in stream order if there is an issue. Ignores a null pointer.
Outcome free_device(Runtime& runtime, void* pointer, const std::optional<Issue>& issue = {});
/// The pools that the program has created and not destroyed.
std::size_t live_pools();
/// Frees device or managed memory, and then waits for the device.
Outcome free_device_and_wait(Runtime& runtime, void* pointer);

}  // namespace vgpu::cudart::client
