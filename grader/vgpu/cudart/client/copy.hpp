// Copies between host and device memory, and the checks that go before them.
#pragma once

#include "client/runtime.hpp"
#include "client/stream_times.hpp"

namespace vgpu::cudart::client {

/// cudaMemcpyAsync, or cudaMemcpy if the host waits. Nothing is copied when it fails.
Outcome copy_memory(Runtime& runtime, void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind,
                    cudaStream_t stream = nullptr, HostWaits host_waits = HostWaits::yes);

/// Why the `size_bytes` at a device address are not all inside one allocation; success if they are.
Outcome check_device_range(const Runtime& runtime, const char* side, std::uint64_t address,
                           std::size_t size_bytes);

}  // namespace vgpu::cudart::client
