// CUDA_CHECK(call): stops the program with file, line, call and reason when a CUDA runtime call fails.
// A kernel launch returns nothing, so get its error right after the launch:
//
//   kernel<<<grid, block>>>(…);
//   CUDA_CHECK(cudaGetLastError());
#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

namespace lab {

/// Returns only if `error` is cudaSuccess.
inline void check(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s failed: %s (%s)\n", file, line, call, cudaGetErrorName(error),
               cudaGetErrorString(error));
  std::exit(EXIT_FAILURE);
}

}  // namespace lab

#define CUDA_CHECK(call) ::lab::check((call), #call, __FILE__, __LINE__)
