// The CUDA runtime's declarations, for the files that define its functions. The library exports the functions
// of the API headers and hides everything else.
#pragma once

#pragma GCC visibility push(default)
#include "cuda_profiler_api.h"
#include "cuda_runtime_api.h"
#pragma GCC visibility pop

/// A second name of an API function.
#define CUDART_ALIAS(name, target) \
  extern "C" __attribute__((visibility("default"), alias(#target))) decltype(target) name
