// Pinned host memory: what cudaMallocHost gave and what cudaHostRegister was told of.
#pragma once

namespace vgpu::cudart::client {

/// Whether the device reaches the memory at `pointer` itself, without the driver's staging buffer.
bool is_pinned(const void* pointer);

}  // namespace vgpu::cudart::client
