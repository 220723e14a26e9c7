// The rest of the CUDA 13 runtime: every function that unsupported_calls.def lists exists, names itself once
// and returns cudaErrorNotSupported. Their parameters are ignored, which the C calling convention allows; so
// this file must not see their real prototypes.

#include "vgpu/cudart/client/core/unsupported.hpp"

#include "kit/error_codes.h"

#define UNSUPPORTED(name)                                                \
  extern "C" __attribute__((visibility("default"))) cudaError_t name() { \
    return vgpu::cudart::client::unsupported_call(#name);                \
  }
#include "vgpu/cudart/client/core/unsupported_calls.def"
#undef UNSUPPORTED
