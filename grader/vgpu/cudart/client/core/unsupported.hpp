// Runtime functions that the virtual GPU does not have.
#pragma once

#include "kit/error_codes.h"

namespace vgpu::cudart::client {

/// Names the call to the user and to the device, once for each call; returns cudaErrorNotSupported.
cudaError_t unsupported_call(const char* name);

}  // namespace vgpu::cudart::client
