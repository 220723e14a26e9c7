// Runtime functions that the virtual GPU does not support.
#pragma once

#include "kit/error_codes.h"

namespace vgpu::cudart::client {

/// Reports the call to the user and to the device, once per function. Returns cudaErrorNotSupported.
cudaError_t unsupported_call(const char* name);

}  // namespace vgpu::cudart::client
