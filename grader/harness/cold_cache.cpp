#include "harness/cold_cache.hpp"

#include <cuda_runtime_api.h>

#include "harness/calls.hpp"

namespace grader::harness {

ColdCache::ColdCache() {
  int l2_bytes = 0;
  require(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0), "cudaDeviceGetAttribute");
  bytes_ = 2 * static_cast<std::size_t>(l2_bytes);
  if (bytes_ > 0) require(cudaMalloc(&memory_, bytes_), "cudaMalloc");
}

void ColdCache::flush() {
  if (bytes_ == 0) return;
  require(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
  require(cudaMemset(memory_, 0, bytes_), "cudaMemset");
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

}  // namespace grader::harness
