// Streams and events that the program created. Access under the runtime's mutex.
#pragma once

#include "client/runtime.hpp"

namespace vgpu::cudart::client {

/// The default streams, or one that cudaStreamCreate made and nobody destroyed.
bool is_stream(cudaStream_t stream);

inline Outcome invalid_stream() { return {cudaErrorInvalidResourceHandle, "not a live stream"}; }

}  // namespace vgpu::cudart::client
