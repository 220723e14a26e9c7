// What a program can ask and set about a kernel before it launches it.

#include <algorithm>
#include <climits>

#include "client/device_properties.hpp"
#include "client/runtime.hpp"

namespace vgpu::cudart::client {
namespace {

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

cudaFuncAttributes attributes_of(const DeviceInfo& info, const KernelFacts& facts) {
  cudaFuncAttributes attributes{};
  attributes.sharedSizeBytes = facts.static_shared_bytes;
  attributes.localSizeBytes = facts.local_bytes_per_thread;
  attributes.maxThreadsPerBlock = static_cast<int>(facts.max_threads_per_block);
  attributes.numRegs = static_cast<int>(facts.registers_per_thread);
  attributes.ptxVersion = info.compute_major * 10 + info.compute_minor;
  attributes.binaryVersion = attributes.ptxVersion;
  attributes.maxDynamicSharedSizeBytes = static_cast<int>(
      info.shared_bytes_per_block - std::min(facts.static_shared_bytes, info.shared_bytes_per_block));
  return attributes;
}

/// Resident blocks on one SM: the scarcest of block slots, threads, registers and shared memory.
int resident_blocks(const DeviceInfo& info, const KernelFacts& facts, std::uint64_t threads,
                    std::uint64_t dynamic_shared_bytes) {
  threads = rounded_up(threads, kWarpSize);
  const std::uint64_t shared = facts.static_shared_bytes + dynamic_shared_bytes;
  if (threads > info.max_threads_per_block || shared > info.shared_bytes_per_block) return 0;
  std::uint64_t blocks = std::min<std::uint64_t>(info.max_blocks_per_sm, info.max_threads_per_sm / threads);
  if (shared > 0) blocks = std::min(blocks, info.shared_bytes_per_sm / shared);
  const std::uint64_t registers = std::uint64_t{facts.registers_per_thread} * threads;
  if (registers > 0) blocks = std::min(blocks, info.registers_per_sm / registers);
  return static_cast<int>(blocks);
}

Outcome occupancy(Runtime& runtime, int* blocks, const void* function, int block_size,
                  std::uint64_t dynamic_shared_bytes) {
  if (!blocks || block_size <= 0) return {cudaErrorInvalidValue, "the block size must be at least 1"};
  const auto kernel = runtime.kernel(function);
  if (!kernel) return kernel.error();
  *blocks = resident_blocks(runtime.device_info(), *(*kernel)->facts, static_cast<std::uint64_t>(block_size),
                            dynamic_shared_bytes);
  return {};
}

Outcome set_attribute(Runtime& runtime, const void* function, cudaFuncAttribute attribute, int value) {
  const auto kernel = runtime.kernel(function);
  if (!kernel) return kernel.error();
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return {};  // a hint
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) {
    return {cudaErrorInvalidValue, "this device has no function attribute " + std::to_string(attribute)};
  }
  const int largest = attributes_of(runtime.device_info(), *(*kernel)->facts).maxDynamicSharedSizeBytes;
  if (value >= 0 && value <= largest) return {};
  return {cudaErrorInvalidValue, std::to_string(value) +
                                     " bytes of dynamic shared memory; this kernel can have at most " +
                                     std::to_string(largest)};
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, const void* func) {
  return api_call("cudaFuncGetAttributes", CallKind::host, [&](Runtime& runtime) {
    if (!attr) return Outcome(cudaErrorInvalidValue, "the result's address is null");
    const auto kernel = runtime.kernel(func);
    if (!kernel) return kernel.error();
    *attr = attributes_of(runtime.device_info(), *(*kernel)->facts);
    return Outcome();
  });
}

cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  return api_call("cudaFuncSetAttribute", CallKind::host,
                  [&](Runtime& runtime) { return set_attribute(runtime, func, attr, value); });
}

cudaError_t cudaFuncSetCacheConfig(const void* func, cudaFuncCache) {
  return api_call("cudaFuncSetCacheConfig", CallKind::host, [&](Runtime& runtime) {
    const auto kernel = runtime.kernel(func);
    return kernel ? Outcome() : kernel.error();  // a hint
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func,
                                                                   int blockSize, size_t dynamicSMemSize,
                                                                   unsigned int) {
  return api_call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", CallKind::host, [&](Runtime& runtime) {
    return occupancy(runtime, numBlocks, func, blockSize, dynamicSMemSize);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func, int blockSize,
                                                          size_t dynamicSMemSize) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize,
                                                                cudaOccupancyDefault);
}
}
