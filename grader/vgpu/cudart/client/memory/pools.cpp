// Stream-ordered allocation, and its memory pools. The device executes work when it is issued, so it also
// allocates and frees memory immediately, and only checks the order (stream_races.hpp). A pool only counts
// the memory and keeps none of it.

#include <algorithm>
#include <map>

#include "vgpu/cudart/client/memory/device_memory.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"

namespace vgpu::cudart::client {
namespace {

struct Pool {
  std::map<cudaMemPoolAttr, std::uint64_t> settings;  ///< attributes that the program has set
  std::map<std::uint64_t, std::uint64_t> live;        ///< bytes by address
  std::uint64_t used_bytes = 0, highest_bytes = 0;
  std::uint64_t max_bytes = 0;  ///< 0: no limit
};

struct Pools {
  std::uint64_t device = 0;  ///< the device of the pools; see Runtime::device_number()
  std::map<cudaMemPool_t, Pool> pools;
  cudaMemPool_t first = nullptr, current = nullptr;
};

// Handles are numbers that are never used twice, so stale handles are always detected.
cudaMemPool_t new_pool(Pools& all) {
  static std::uintptr_t last = 0x1000;
  const auto handle = reinterpret_cast<cudaMemPool_t>(last += 0x10);
  all.pools[handle];
  return handle;
}

Pools& pools() {
  static Pools& all = *new Pools;  // never destroyed, see Runtime::instance()
  const std::uint64_t device = Runtime::instance().device_number();
  if (all.device != device) {
    all = Pools();
    all.device = device;
    all.first = all.current = new_pool(all);
  }
  return all;
}

Pool* find_pool(cudaMemPool_t handle) {
  const auto found = pools().pools.find(handle);
  return found == pools().pools.end() ? nullptr : &found->second;
}

Outcome invalid_pool() { return {cudaErrorInvalidValue, "the memory pool does not exist or was destroyed"}; }

/// Refuses allocations during a capture, because graphs that allocate are not supported.
Outcome refuse_capture(Runtime& runtime, const char* call) {
  runtime.report_unsupported((std::string(call) + " into a stream that is captured").c_str());
  return cudaErrorNotSupported;
}

Outcome allocate(Runtime& runtime, const char* call, void** result, std::size_t size_bytes,
                 cudaMemPool_t handle, cudaStream_t stream_handle) {
  const Stream* stream = find_stream(stream_handle);
  if (!stream) return invalid_stream();
  if (stream->capture) return refuse_capture(runtime, call);
  Pool* pool = find_pool(handle);
  if (!pool) return invalid_pool();
  if (pool->max_bytes != 0 && size_bytes > pool->max_bytes - std::min(pool->used_bytes, pool->max_bytes)) {
    return {cudaErrorMemoryAllocation, "the pool has at most " + std::to_string(pool->max_bytes) + " bytes"};
  }
  Outcome outcome = allocate_device(runtime, result, size_bytes, issue_to(runtime, stream->number));
  if (outcome.error || !*result) return outcome;
  pool->live[address_of(*result)] = size_bytes;
  pool->used_bytes += size_bytes;
  pool->highest_bytes = std::max(pool->highest_bytes, pool->used_bytes);
  return outcome;
}

Outcome release(Runtime& runtime, void* pointer, cudaStream_t stream_handle) {
  const Stream* stream = find_stream(stream_handle);
  if (!stream) return invalid_stream();
  if (stream->capture) return refuse_capture(runtime, "cudaFreeAsync");
  if (!pointer) return {cudaErrorInvalidValue, "the pointer is null"};
  Outcome outcome = free_device(runtime, pointer, issue_to(runtime, stream->number));
  if (outcome.error) return outcome;
  for (auto& [_, pool] : pools().pools) {
    const auto found = pool.live.find(address_of(pointer));
    if (found == pool.live.end()) continue;
    pool.used_bytes -= found->second;
    pool.live.erase(found);
  }
  return outcome;
}

bool is_reuse_rule(cudaMemPoolAttr attribute) {
  return attribute == cudaMemPoolReuseFollowEventDependencies ||
         attribute == cudaMemPoolReuseAllowOpportunistic ||
         attribute == cudaMemPoolReuseAllowInternalDependencies;
}

Outcome get_attribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* result) {
  const Pool* pool = find_pool(handle);
  if (!pool) return invalid_pool();
  const auto set = pool->settings.find(attribute);
  // The defaults are those of the CUDA Runtime API (cudaMemPoolSetAttribute): reuse is enabled, and the
  // release threshold is 0.
  if (is_reuse_rule(attribute))
    return answer(static_cast<int*>(result), set == pool->settings.end() ? 1 : static_cast<int>(set->second));
  auto* number = static_cast<std::uint64_t*>(result);
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      return answer(number, set == pool->settings.end() ? 0 : set->second);
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      return answer(number, pool->used_bytes);
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      return answer(number, pool->highest_bytes);
    default:
      return {cudaErrorInvalidValue, "no such attribute of memory pools"};
  }
}

Outcome set_attribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, const void* value) {
  Pool* pool = find_pool(handle);
  if (!pool) return invalid_pool();
  if (!value) return {cudaErrorInvalidValue, "the value's address is null"};
  if (is_reuse_rule(attribute)) {
    pool->settings[attribute] = *static_cast<const int*>(value) != 0 ? 1 : 0;
    return {};
  }
  const std::uint64_t number = *static_cast<const std::uint64_t*>(value);
  if (attribute == cudaMemPoolAttrReleaseThreshold) {
    pool->settings[attribute] = number;
    return {};
  }
  // High-water marks can be reset to 0 only (CUDA Runtime API, cudaMemPoolSetAttribute).
  const bool is_high = attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
  if (!is_high || number != 0) return {cudaErrorInvalidValue, "the attribute cannot have this value"};
  pool->highest_bytes = pool->used_bytes;
  return {};
}

Outcome create(cudaMemPool_t* result, const cudaMemPoolProps* properties) {
  if (!result || !properties) return null_result();
  if (properties->location.type != cudaMemLocationTypeDevice || properties->location.id != 0)
    return {cudaErrorInvalidValue, "memory pools are available on device 0 only"};
  if (properties->allocType != cudaMemAllocationTypePinned ||
      properties->handleTypes != cudaMemHandleTypeNone)
    return {cudaErrorNotSupported, "the virtual GPU cannot share memory pools between processes"};
  *result = new_pool(pools());
  find_pool(*result)->max_bytes = properties->maxSize;
  return {};
}

Outcome destroy(cudaMemPool_t handle) {
  auto& all = pools();
  if (handle == all.first) return {cudaErrorInvalidValue, "the default pool cannot be destroyed"};
  if (all.pools.erase(handle) == 0) return invalid_pool();
  if (all.current == handle) all.current = all.first;
  return {};
}

}  // namespace

std::size_t live_pools() { return pools().pools.size() - 1; }

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream) {
  return api_call("cudaMallocAsync", CallKind::queued, [&](Runtime& runtime) {
    return allocate(runtime, "cudaMallocAsync", devPtr, size, pools().current, hStream);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return api_call("cudaMallocFromPoolAsync", CallKind::queued, [&](Runtime& runtime) {
    return allocate(runtime, "cudaMallocFromPoolAsync", ptr, size, memPool, stream);
  });
}

cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  return api_call("cudaFreeAsync", CallKind::queued,
                  [&](Runtime& runtime) { return release(runtime, devPtr, hStream); });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device) {
  return api_call("cudaDeviceGetDefaultMemPool", CallKind::host, [&](Runtime&) {
    Outcome problem = require_device_0(device);
    return problem.error ? problem : answer(memPool, pools().first);
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device) {
  return api_call("cudaDeviceGetMemPool", CallKind::host, [&](Runtime&) {
    Outcome problem = require_device_0(device);
    return problem.error ? problem : answer(memPool, pools().current);
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
  return api_call("cudaDeviceSetMemPool", CallKind::host, [&](Runtime&) {
    Outcome problem = require_device_0(device);
    if (problem.error) return problem;
    return find_pool(memPool) ? answer(&pools().current, memPool) : invalid_pool();
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* memPool, const cudaMemPoolProps* poolProps) {
  return api_call("cudaMemPoolCreate", CallKind::host, [&](Runtime&) { return create(memPool, poolProps); });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
  return api_call("cudaMemPoolDestroy", CallKind::host, [&](Runtime&) { return destroy(memPool); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  return api_call("cudaMemPoolSetAttribute", CallKind::host,
                  [&](Runtime&) { return set_attribute(memPool, attr, value); });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  return api_call("cudaMemPoolGetAttribute", CallKind::host,
                  [&](Runtime&) { return get_attribute(memPool, attr, value); });
}

// A pool keeps no freed memory: release() returns it to the device.
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t) {
  return api_call("cudaMemPoolTrimTo", CallKind::host,
                  [&](Runtime&) { return find_pool(memPool) ? Outcome() : invalid_pool(); });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const cudaMemAccessDesc* descList, size_t count) {
  return api_call("cudaMemPoolSetAccess", CallKind::host, [&](Runtime&) {
    if (!find_pool(memPool) || (count > 0 && !descList)) return invalid_pool();
    for (size_t i = 0; i < count; ++i)
      if (Outcome problem = require_device_0(descList[i].location.id); problem.error) return problem;
    return Outcome();
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t memPool, cudaMemLocation*) {
  return api_call("cudaMemPoolGetAccess", CallKind::host, [&](Runtime&) {
    return find_pool(memPool) ? answer(flags, cudaMemAccessFlagsProtReadWrite) : invalid_pool();
  });
}
}
