// The CUDA runtime's declarations for the files that define them: everything declared in the API header is
// exported, everything else of this library is hidden.
#pragma once

#pragma GCC visibility push(default)
#include "cuda_profiler_api.h"
#include "cuda_runtime_api.h"
#pragma GCC visibility pop

/// A second name of an API function.
#define CUDART_ALIAS(name, target) \
  extern "C" __attribute__((visibility("default"), alias(#target))) decltype(target) name
