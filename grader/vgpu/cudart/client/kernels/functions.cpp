// Queries and settings of kernels: attributes, occupancy, parameters.

#include <algorithm>
#include <climits>

#include "vgpu/cudart/client/core/device_properties.hpp"
#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {
namespace {

/// The part of `limit` that static shared memory leaves for dynamic shared memory.
std::uint64_t dynamic_room(const KernelFacts& facts, std::uint64_t limit) {
  return limit - std::min(facts.static_shared_bytes, limit);
}

/// The most dynamic shared memory of a launch: more only after cudaFuncSetAttribute.
std::uint64_t largest_dynamic_bytes(const DeviceInfo& info, const Kernel& kernel) {
  return std::max(dynamic_room(*kernel.facts, info.shared_bytes_per_block),
                  kernel.allowed_dynamic_shared_bytes);
}

cudaFuncAttributes attributes_of(const DeviceInfo& info, const Kernel& kernel) {
  const KernelFacts& facts = *kernel.facts;
  cudaFuncAttributes attributes{};
  attributes.sharedSizeBytes = facts.static_shared_bytes;
  attributes.localSizeBytes = facts.local_bytes_per_thread;
  attributes.maxThreadsPerBlock = static_cast<int>(facts.max_threads_per_block);
  attributes.numRegs = static_cast<int>(facts.registers_per_thread);
  // A driver translates PTX to code for its own device, which is never older than the PTX.
  const auto own = static_cast<int>(info.compute_major * 10 + info.compute_minor);
  attributes.ptxVersion = static_cast<int>(facts.architecture);
  attributes.binaryVersion = std::max(own, attributes.ptxVersion);
  attributes.maxDynamicSharedSizeBytes = static_cast<int>(largest_dynamic_bytes(info, kernel));
  attributes.preferredShmemCarveout = -1;  // cudaSharedmemCarveoutDefault: the driver chooses
  return attributes;
}

OrOutcome<ResidentBlocks> resident_blocks(Runtime& runtime, const void* function, int block_size,
                                          std::uint64_t dynamic_shared_bytes, int blocks_wanted) {
  if (block_size <= 0 || blocks_wanted <= 0)
    return grader::Unexpected{Outcome(cudaErrorInvalidValue, "block size and count must be at least 1")};
  const auto kernel = runtime.kernel(function);
  if (!kernel) return grader::Unexpected{kernel.error()};
  const auto answered = runtime.ask(QueryOccupancy{*(*kernel)->binary->module, (*kernel)->name,
                                                   static_cast<unsigned>(block_size), dynamic_shared_bytes,
                                                   static_cast<unsigned>(blocks_wanted)});
  if (!answered) return grader::Unexpected{outcome_of(answered)};
  ResidentBlocks resident = answered.answer;
  // Such a launch fails.
  if (dynamic_shared_bytes > largest_dynamic_bytes(runtime.device_info(), **kernel))
    resident.blocks_per_sm = 0;
  return resident;
}

Outcome set_attribute(Runtime& runtime, const void* function, cudaFuncAttribute attribute, int value) {
  const auto kernel = runtime.kernel(function);
  if (!kernel) return kernel.error();
  switch (attribute) {
    case cudaFuncAttributePreferredSharedMemoryCarveout:  // hints
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return {};
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      break;
    default:
      return {cudaErrorInvalidValue,
              "this device does not have function attribute " + std::to_string(attribute)};
  }
  const std::uint64_t largest =
      dynamic_room(*(*kernel)->facts, runtime.device_info().largest_shared_bytes_per_block);
  if (value < 0 || static_cast<std::uint64_t>(value) > largest) {
    return {cudaErrorInvalidValue, std::to_string(value) +
                                       " bytes of dynamic shared memory; this kernel can have at most " +
                                       std::to_string(largest)};
  }
  (*kernel)->allowed_dynamic_shared_bytes = static_cast<std::uint64_t>(value);
  return {};
}

Outcome parameter_info(Runtime& runtime, const void* function, std::size_t index, std::size_t* offset,
                       std::size_t* size) {
  const auto kernel = runtime.kernel(function);
  if (!kernel) return kernel.error();
  const KernelFacts& facts = *(*kernel)->facts;
  if (!offset || index >= facts.parameter_sizes.size() || index >= facts.parameter_offsets.size())
    return {cudaErrorInvalidValue, "the kernel has no parameter " + std::to_string(index)};
  *offset = facts.parameter_offsets[index];
  if (size) *size = facts.parameter_sizes[index];
  return {};
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, const void* func) {
  return api_call("cudaFuncGetAttributes", CallKind::host, [&](Runtime& runtime) {
    if (!attr) return null_result();
    const auto kernel = runtime.kernel(func);
    if (!kernel) return kernel.error();
    *attr = attributes_of(runtime.device_info(), **kernel);
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

cudaError_t cudaFuncGetName(const char** name, const void* func) {
  return api_call("cudaFuncGetName", CallKind::host, [&](Runtime& runtime) {
    const auto kernel = runtime.kernel(func);
    return kernel ? answer(name, (*kernel)->name.c_str()) : kernel.error();
  });
}

cudaError_t cudaFuncGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset,
                                 size_t* paramSize) {
  return api_call("cudaFuncGetParamInfo", CallKind::host, [&](Runtime& runtime) {
    return parameter_info(runtime, func, paramIndex, paramOffset, paramSize);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func,
                                                                   int blockSize, size_t dynamicSMemSize,
                                                                   unsigned int) {
  return api_call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", CallKind::host, [&](Runtime& runtime) {
    const auto resident = resident_blocks(runtime, func, blockSize, dynamicSMemSize, 1);
    return resident ? answer(numBlocks, static_cast<int>(resident->blocks_per_sm)) : resident.error();
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func, int blockSize,
                                                          size_t dynamicSMemSize) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize,
                                                                cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func,
                                                      int numBlocks, int blockSize) {
  return api_call("cudaOccupancyAvailableDynamicSMemPerBlock", CallKind::host, [&](Runtime& runtime) {
    const auto resident = resident_blocks(runtime, func, blockSize, 0, numBlocks);
    return resident ? answer(dynamicSmemSize, resident->dynamic_shared_bytes) : resident.error();
  });
}
}
