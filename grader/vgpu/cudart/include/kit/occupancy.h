// The block size with which the largest number of a kernel's threads are resident at the same time.
#pragma once

#include "cuda_runtime_api.h"

/// `shared_bytes_of` returns the dynamic shared memory of a block with a given number of threads.
template <class Function, class SharedBytes>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int* minGridSize, int* blockSize, Function func, SharedBytes shared_bytes_of, int blockSizeLimit = 0,
    unsigned int flags = 0) {
  const void* kernel = reinterpret_cast<const void*>(func);
  struct cudaFuncAttributes attributes;
  int device = 0, sm_count = 0, threads_per_sm = 0, most = 0;
  if (!minGridSize || !blockSize) return cudaErrorInvalidValue;
  cudaError_t error = cudaGetDevice(&device);
  if (!error) error = cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
  if (!error) error = cudaDeviceGetAttribute(&threads_per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (!error) error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, device);
  if (!error) error = cudaFuncGetAttributes(&attributes, kernel);
  if (error) return error;
  if (attributes.maxThreadsPerBlock < most) most = attributes.maxThreadsPerBlock;
  if (blockSizeLimit > 0 && blockSizeLimit < most) most = blockSizeLimit;
  constexpr int kWarp = 32;
  int best_threads = 0;
  for (int rounded = (most + kWarp - 1) / kWarp * kWarp; rounded > 0; rounded -= kWarp) {
    const int threads = rounded < most ? rounded : most;
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, threads,
                                                                   shared_bytes_of(threads), flags);
    if (error) return error;
    if (blocks * threads <= best_threads) continue;
    best_threads = blocks * threads;
    *blockSize = threads;
    *minGridSize = blocks * sm_count;
    if (best_threads == threads_per_sm) break;
  }
  return cudaSuccess;
}

template <class Function, class SharedBytes>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize,
                                                                         Function func,
                                                                         SharedBytes shared_bytes_of,
                                                                         int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func,
                                                                 shared_bytes_of, blockSizeLimit);
}

template <class Function>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, Function func,
                                                             size_t dynamicSMemSize = 0,
                                                             int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      minGridSize, blockSize, func, [dynamicSMemSize](int) { return dynamicSMemSize; }, blockSizeLimit);
}
