// The rest of the CUDA 13 runtime. Every function in unsupported_calls.def exists, reports itself once and
// returns cudaErrorNotSupported. The functions are declared without parameters, which the C calling
// convention permits. Therefore, this file must not include their real prototypes.

#include "vgpu/cudart/client/core/unsupported.hpp"

#include "kit/error_codes.h"

#define UNSUPPORTED(name)                                                \
  extern "C" __attribute__((visibility("default"))) cudaError_t name() { \
    return vgpu::cudart::client::unsupported_call(#name);                \
  }
#include "vgpu/cudart/client/core/unsupported_calls.def"
#undef UNSUPPORTED
