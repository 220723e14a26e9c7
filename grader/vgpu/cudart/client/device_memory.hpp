// Allocation of device memory, for the calls that differ only in how they are asked for it.
#pragma once

#include "client/runtime.hpp"

namespace vgpu::cudart::client {

/// size 0 gives a null pointer.
Outcome allocate_device(Runtime& runtime, void** pointer, std::size_t size_bytes);
/// Of device or managed memory; a null pointer is left alone.
Outcome free_device(Runtime& runtime, void* pointer);

}  // namespace vgpu::cudart::client
