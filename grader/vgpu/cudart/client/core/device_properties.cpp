#include "vgpu/cudart/client/core/device_properties.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>

namespace vgpu::cudart::client {
namespace {

// Limits that are the same for all devices since compute capability 3.0 (CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability").
constexpr int kMaxBlockXY = 1024, kMaxBlockZ = 64;
constexpr int kMaxGridX = INT_MAX;
constexpr int kMaxGridYZ = 65535;

// Of compute capability 5.0 to 9.0 (the same table).
constexpr int kMaxTexture1D = 131072, kMaxTexture2DHeight = 65536, kMaxTexture3D = 16384;
constexpr int kMaxLinearTexture = 1 << 28, kMaxLinear2DHeight = 65000, kMaxLinear2DPitch = 2097120;
constexpr int kMaxLayeredTexture = 32768, kMaxTextureLayers = 2048;

/// Per clock of the memory, a pin transfers two bits.
constexpr int kBitsPerClock = 2;

/// The profile has the bandwidth only. Its clock follows from the bus that memory of such a bandwidth has:
/// high-bandwidth memory, or the bus of a graphics card.
int bus_bits(const DeviceInfo& info) {
  constexpr double kHighBandwidth = 1e12;
  return info.dram_bytes_per_s >= kHighBandwidth ? 6144 : 384;
}

int memory_clock_kHz(const DeviceInfo& info) {
  return static_cast<int>(info.dram_bytes_per_s * 8 / (kBitsPerClock * bus_bits(info)) / 1e3);
}

/// Five eighths of L2, as on devices of compute capability 8.0 and 9.0.
int persisting_l2_bytes(const DeviceInfo& info) {
  return static_cast<int>(std::min<std::uint64_t>(info.l2_bytes / 8 * 5, INT_MAX));
}

void set_texture_limits(cudaDeviceProp& prop) {
  const auto set = [](int* extents, std::initializer_list<int> values) {
    std::copy(values.begin(), values.end(), extents);
  };
  prop.maxTexture1D = kMaxTexture1D;
  set(prop.maxTexture2D, {kMaxTexture1D, kMaxTexture2DHeight});
  set(prop.maxTexture2DLinear, {kMaxTexture1D, kMaxLinear2DHeight, kMaxLinear2DPitch});
  set(prop.maxTexture3D, {kMaxTexture3D, kMaxTexture3D, kMaxTexture3D});
  set(prop.maxTexture1DLayered, {kMaxLayeredTexture, kMaxTextureLayers});
  set(prop.maxTexture2DLayered, {kMaxLayeredTexture, kMaxLayeredTexture, kMaxTextureLayers});
  prop.maxSurface1D = kMaxLayeredTexture;
  set(prop.maxSurface2D, {kMaxTexture1D, kMaxTexture2DHeight});
  set(prop.maxSurface3D, {kMaxTexture3D, kMaxTexture3D, kMaxTexture3D});
  set(prop.maxSurface1DLayered, {kMaxLayeredTexture, kMaxTextureLayers});
  set(prop.maxSurface2DLayered, {kMaxLayeredTexture, kMaxLayeredTexture, kMaxTextureLayers});
}

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
  prop.maxThreadsDim[0] = prop.maxThreadsDim[1] = kMaxBlockXY;
  prop.maxThreadsDim[2] = kMaxBlockZ;
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
  prop.memoryBusWidth = bus_bits(info);
  prop.persistingL2CacheMaxSize = persisting_l2_bytes(info);
  set_texture_limits(prop);
  return prop;
}

/// nullopt for attributes that are no limits of launches.
static std::optional<int> launch_limit(const cudaDeviceProp& prop, cudaDeviceAttr attribute) {
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
    default:
      return std::nullopt;
  }
}

/// Returns 0 for attributes that are neither alignments nor extents of textures.
static int alignment_or_extent(const cudaDeviceProp& prop, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrTextureAlignment:
      return as_int(prop.textureAlignment);
    case cudaDevAttrTexturePitchAlignment:
      return as_int(prop.texturePitchAlignment);
    case cudaDevAttrSurfaceAlignment:
      return as_int(prop.surfaceAlignment);
    case cudaDevAttrMaxTexture1DWidth:
      return prop.maxTexture1D;
    case cudaDevAttrMaxTexture2DWidth:
      return prop.maxTexture2D[0];
    case cudaDevAttrMaxTexture2DHeight:
      return prop.maxTexture2D[1];
    case cudaDevAttrMaxTexture3DWidth:
    case cudaDevAttrMaxTexture3DHeight:
    case cudaDevAttrMaxTexture3DDepth:
      return prop.maxTexture3D[0];
    case cudaDevAttrMaxTexture1DLinearWidth:
      return kMaxLinearTexture;
    case cudaDevAttrMaxTexture2DLinearWidth:
      return prop.maxTexture2DLinear[0];
    case cudaDevAttrMaxTexture2DLinearHeight:
      return prop.maxTexture2DLinear[1];
    case cudaDevAttrMaxTexture2DLinearPitch:
      return prop.maxTexture2DLinear[2];
    case cudaDevAttrMaxTexture1DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredHeight:
      return kMaxLayeredTexture;
    case cudaDevAttrMaxTexture1DLayeredLayers:
    case cudaDevAttrMaxTexture2DLayeredLayers:
      return kMaxTextureLayers;
    case cudaDevAttrMaxSurface1DWidth:
      return prop.maxSurface1D;
    case cudaDevAttrMaxSurface2DWidth:
      return prop.maxSurface2D[0];
    case cudaDevAttrMaxSurface2DHeight:
      return prop.maxSurface2D[1];
    default:
      return 0;
  }
}

std::optional<int> device_attribute(const DeviceInfo& info, cudaDeviceAttr attribute) {
  const cudaDeviceProp prop = device_properties(info);
  if (const auto limit = launch_limit(prop, attribute)) return limit;
  switch (attribute) {
    case cudaDevAttrClockRate:
      return as_int(static_cast<std::uint64_t>(info.clock_hz / 1e3));  // kHz
    case cudaDevAttrMemoryClockRate:
      return memory_clock_kHz(info);
    case cudaDevAttrGlobalMemoryBusWidth:
      return prop.memoryBusWidth;
    case cudaDevAttrMaxPersistingL2CacheSize:
      return prop.persistingL2CacheMaxSize;
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
    return alignment_or_extent(prop, attribute);
  return std::nullopt;
}

}  // namespace vgpu::cudart::client
