#include "vgpu/cudart/client/core/device_properties.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>

namespace vgpu::cudart::client {
namespace {

// Limits that are the same for all devices since compute capability 3.0 (CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability").
constexpr int kMaxBlockZ = 64;
constexpr int kMaxGridX = INT_MAX;
constexpr int kMaxGridYZ = 65535;
constexpr int kTextureAlignment = 512;
constexpr int kTexturePitchAlignment = 32;

int as_int(std::uint64_t value) { return static_cast<int>(std::min<std::uint64_t>(value, INT_MAX)); }

}  // namespace

cudaDeviceProp device_properties(const DeviceInfo& info) {
  cudaDeviceProp prop{};
  const std::string name = "Virtual GPU (" + info.name + ")";
  std::memcpy(prop.name, name.data(), std::min(name.size(), sizeof prop.name - 1));
  prop.major = info.compute_major;
  prop.minor = info.compute_minor;
  prop.totalGlobalMem = info.global_bytes;
  prop.totalConstMem = info.constant_bytes;
  prop.sharedMemPerBlock = info.shared_bytes_per_block;
  prop.sharedMemPerBlockOptin = info.largest_shared_bytes_per_block;
  prop.reservedSharedMemPerBlock = info.shared_reserved_bytes;
  prop.sharedMemPerMultiprocessor = info.shared_bytes_per_sm;
  prop.regsPerBlock = as_int(info.registers_per_sm);
  prop.regsPerMultiprocessor = as_int(info.registers_per_sm);
  prop.warpSize = kWarpSize;
  prop.memPitch = INT_MAX;
  prop.maxThreadsPerBlock = as_int(info.max_threads_per_block);
  prop.maxThreadsDim[0] = prop.maxThreadsPerBlock;
  prop.maxThreadsDim[1] = prop.maxThreadsPerBlock;
  prop.maxThreadsDim[2] = std::min(prop.maxThreadsPerBlock, kMaxBlockZ);
  prop.maxGridSize[0] = kMaxGridX;
  prop.maxGridSize[1] = kMaxGridYZ;
  prop.maxGridSize[2] = kMaxGridYZ;
  prop.maxThreadsPerMultiProcessor = as_int(info.max_threads_per_sm);
  prop.maxBlocksPerMultiProcessor = as_int(info.max_blocks_per_sm);
  prop.multiProcessorCount = as_int(info.sm_count);
  prop.asyncEngineCount = info.async_engine_count;
  prop.unifiedAddressing = 1;
  prop.l2CacheSize = as_int(info.l2_bytes);
  prop.concurrentKernels = info.max_concurrent_kernels > 1 ? 1 : 0;
  prop.textureAlignment = kTextureAlignment;
  prop.texturePitchAlignment = kTexturePitchAlignment;
  prop.surfaceAlignment = kTextureAlignment;
  prop.canMapHostMemory = 1;
  prop.managedMemory = 1;
  prop.concurrentManagedAccess = 1;
  prop.hostRegisterSupported = 1;
  prop.hostRegisterReadOnlySupported = 1;
  prop.canUseHostPointerForRegisteredMem = 1;
  prop.cooperativeLaunch = 1;
  prop.streamPrioritiesSupported = 1;
  prop.memoryPoolsSupported = 1;
  prop.globalL1CacheSupported = info.l1_bytes_per_sm > 0 ? 1 : 0;
  prop.localL1CacheSupported = prop.globalL1CacheSupported;
  return prop;
}

/// Returns 0 for attributes that are not alignments.
static int alignment(const cudaDeviceProp& prop, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrTextureAlignment:
      return as_int(prop.textureAlignment);
    case cudaDevAttrTexturePitchAlignment:
      return as_int(prop.texturePitchAlignment);
    case cudaDevAttrSurfaceAlignment:
      return as_int(prop.surfaceAlignment);
    default:
      return 0;
  }
}

std::optional<int> device_attribute(const DeviceInfo& info, cudaDeviceAttr attribute) {
  const cudaDeviceProp prop = device_properties(info);
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return prop.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return prop.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY:
      return prop.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ:
      return prop.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return prop.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return prop.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return prop.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return as_int(prop.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return as_int(prop.sharedMemPerBlockOptin);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return as_int(prop.reservedSharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return as_int(prop.sharedMemPerMultiprocessor);
    case cudaDevAttrTotalConstantMemory:
      return as_int(prop.totalConstMem);
    case cudaDevAttrWarpSize:
      return prop.warpSize;
    case cudaDevAttrMaxPitch:
      return as_int(prop.memPitch);
    case cudaDevAttrMaxRegistersPerBlock:
      return prop.regsPerBlock;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return prop.regsPerMultiprocessor;
    case cudaDevAttrClockRate:
      return as_int(static_cast<std::uint64_t>(info.clock_hz / 1e3));  // kHz
    case cudaDevAttrMultiProcessorCount:
      return prop.multiProcessorCount;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return prop.maxThreadsPerMultiProcessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return prop.maxBlocksPerMultiProcessor;
    case cudaDevAttrAsyncEngineCount:
      return prop.asyncEngineCount;
    case cudaDevAttrGpuOverlap:
      return prop.asyncEngineCount > 0 ? 1 : 0;
    case cudaDevAttrConcurrentKernels:
      return prop.concurrentKernels;
    case cudaDevAttrL2CacheSize:
      return prop.l2CacheSize;
    case cudaDevAttrGlobalL1CacheSupported:
      return prop.globalL1CacheSupported;
    case cudaDevAttrLocalL1CacheSupported:
      return prop.localL1CacheSupported;
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrHostRegisterReadOnlySupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    case cudaDevAttrUnifiedAddressing:
      return prop.unifiedAddressing;
    case cudaDevAttrComputeCapabilityMajor:
      return prop.major;
    case cudaDevAttrComputeCapabilityMinor:
      return prop.minor;
    default:
      break;
  }
  if (attribute >= cudaDevAttrMaxThreadsPerBlock && attribute < cudaDevAttrMax)
    return alignment(prop, attribute);
  return std::nullopt;
}

}  // namespace vgpu::cudart::client
