// Tells the device what a call puts into a stream, so that its timeline (vgpu/cudart/stream_times.hpp) knows
// when it runs; called when the work itself has been done. Access under the runtime's mutex.
#pragma once

#include "client/runtime.hpp"

namespace vgpu::cudart::client {

/// The stream's number in messages.
std::uint32_t number_of(cudaStream_t stream);

/// Whether the host goes on at once. Copies from and to pageable memory hold it up in any case.
enum class HostWaits { no, yes };

/// A copy that `kind` names, of host memory at `host_side` where it has one.
Outcome tell_copy(Runtime& runtime, cudaMemcpyKind kind, const void* host_side, std::size_t size_bytes,
                  cudaStream_t stream, HostWaits host_waits);
Outcome tell_fill(Runtime& runtime, std::size_t size_bytes, cudaStream_t stream);

/// The number of the operation that records the event.
OrOutcome<std::uint64_t> tell_event(Runtime& runtime, cudaStream_t stream);
Outcome tell_wait_for_event(Runtime& runtime, cudaStream_t stream, std::uint64_t event);

/// The host waits.
Outcome wait_for_device(Runtime& runtime);
Outcome wait_for_stream(Runtime& runtime, cudaStream_t stream);
Outcome wait_for_operation(Runtime& runtime, std::uint64_t operation);

/// cudaErrorNotReady, or success.
Outcome progress_of_stream(Runtime& runtime, cudaStream_t stream);
Outcome progress_of_operation(Runtime& runtime, std::uint64_t operation, double* end_s = nullptr);

}  // namespace vgpu::cudart::client
