// Device queries and settings. The only device is device 0.

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>

#include "vgpu/cudart/client/core/device_properties.hpp"
#include "vgpu/cudart/client/core/runtime.hpp"
#include "vgpu/cudart/client/streams/capture.hpp"
#include "vgpu/cudart/client/streams/host_functions.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"

namespace vgpu::cudart::client {
namespace {

constexpr int kCudaVersion = 13000;  ///< 13.0, as CUDA encodes it

Outcome require_device(int device) {
  if (device == 0) return {};
  return {cudaErrorInvalidDevice,
          "device " + std::to_string(device) + " does not exist; the only device is device 0"};
}

std::atomic<bool> was_reset{false};

Outcome reset(Runtime& runtime) {
  was_reset = true;
  run_host_functions(runtime);
  runtime.describe_lost_memory(nullptr);
  runtime.forget_memory_and_handles();
  return outcome_of(runtime.ask(Reset{}));
}

/// Converts cudaLimitStackSize and the like; nullopt if this device does not have the limit.
std::optional<Limit> limit_of(cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize:
      return Limit::stack_bytes;
    case cudaLimitPrintfFifoSize:
      return Limit::printf_bytes;
    case cudaLimitMallocHeapSize:
      return Limit::heap_bytes;
    default:
      return std::nullopt;
  }
}

OrOutcome<std::uint64_t> access_limit(Runtime& runtime, cudaLimit limit, std::optional<std::uint64_t> value) {
  const auto known = limit_of(limit);
  if (!known) {
    return grader::Unexpected{
        Outcome(cudaErrorUnsupportedLimit, "this device does not have limit " + std::to_string(limit))};
  }
  const auto answered = runtime.ask(AccessLimit{*known, value.has_value(), value.value_or(0)});
  if (!answered) return grader::Unexpected{outcome_of(answered)};
  return answered.answer.value;
}

/// Hints without an effect. The program can read them back.
struct Preferences {
  cudaFuncCache cache = cudaFuncCachePreferNone;
  unsigned flags = cudaDeviceScheduleAuto;
};
Preferences preferences;

constexpr const char* kPciBusId = "0000:00:00.0";

}  // namespace

std::string possibly_by_reset() {
  return was_reset ? "; the program has called cudaDeviceReset, which destroys all of them" : "";
}

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  if (count) *count = 0;
  return api_call("cudaGetDeviceCount", CallKind::host, [&](Runtime&) { return answer(count, 1); });
}

cudaError_t cudaGetDevice(int* device) {
  return api_call("cudaGetDevice", CallKind::host, [&](Runtime&) { return answer(device, 0); });
}

cudaError_t cudaSetDevice(int device) {
  return api_call("cudaSetDevice", CallKind::host, [&](Runtime&) { return require_device(device); });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  return api_call("cudaGetDeviceProperties", CallKind::host, [&](Runtime& runtime) {
    Outcome problem = require_device(device);
    return problem.error ? problem : answer(prop, device_properties(runtime.device_info()));
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  return api_call("cudaDeviceGetAttribute", CallKind::host, [&](Runtime& runtime) {
    Outcome problem = require_device(device);
    if (problem.error) return problem;
    const auto found = device_attribute(runtime.device_info(), attr);
    if (!found) return Outcome(cudaErrorInvalidValue, "unknown device attribute " + std::to_string(attr));
    return answer(value, *found);
  });
}

cudaError_t cudaDeviceSynchronize(void) {
  return api_call("cudaDeviceSynchronize", CallKind::waiting, wait_for_device);
}

cudaError_t cudaDeviceReset(void) { return api_call("cudaDeviceReset", CallKind::waiting, reset); }

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api_call("cudaDeviceSetLimit", CallKind::host, [&](Runtime& runtime) {
    const auto now = access_limit(runtime, limit, value);
    return now ? Outcome() : now.error();
  });
}

cudaError_t cudaDeviceGetLimit(size_t* pValue, cudaLimit limit) {
  return api_call("cudaDeviceGetLimit", CallKind::host, [&](Runtime& runtime) {
    const auto now = access_limit(runtime, limit, std::nullopt);
    return now ? answer(pValue, *now) : now.error();
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache cacheConfig) {
  return api_call("cudaDeviceSetCacheConfig", CallKind::host, [&](Runtime&) {
    preferences.cache = cacheConfig;
    return Outcome();
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* pCacheConfig) {
  return api_call("cudaDeviceGetCacheConfig", CallKind::host,
                  [&](Runtime&) { return answer(pCacheConfig, preferences.cache); });
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return api_call("cudaSetDeviceFlags", CallKind::host, [&](Runtime&) {
    if ((flags & ~cudaDeviceMask) != 0)
      return Outcome(cudaErrorInvalidValue, "no such device flags: " + std::to_string(flags));
    preferences.flags = flags;
    return Outcome();
  });
}

// cudaDeviceMapHost is implicit for the runtime (CUDA Runtime API, "cudaSetDeviceFlags").
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return api_call("cudaGetDeviceFlags", CallKind::host,
                  [&](Runtime&) { return answer(flags, preferences.flags | cudaDeviceMapHost); });
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
  return api_call("cudaInitDevice", CallKind::host, [&](Runtime&) { return require_device(device); });
}

cudaError_t cudaSetValidDevices(int* device_arr, int len) {
  return api_call("cudaSetValidDevices", CallKind::host, [&](Runtime&) {
    for (int i = 0; device_arr && i < len; ++i)
      if (Outcome problem = require_device(device_arr[i]); problem.error) return problem;
    return Outcome();
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  return api_call("cudaChooseDevice", CallKind::host, [&](Runtime&) { return answer(device, 0); });
}

cudaError_t cudaDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  return api_call("cudaDeviceGetPCIBusId", CallKind::host, [&](Runtime&) {
    Outcome problem = require_device(device);
    if (problem.error) return problem;
    if (!pciBusId || len <= static_cast<int>(std::strlen(kPciBusId)))
      return Outcome(cudaErrorInvalidValue, "the buffer for the PCI bus id is too short");
    std::memcpy(pciBusId, kPciBusId, std::strlen(kPciBusId) + 1);
    return Outcome();
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  return api_call("cudaDeviceGetByPCIBusId", CallKind::host, [&](Runtime&) {
    if (!pciBusId) return Outcome(cudaErrorInvalidValue, "the PCI bus id is null");
    if (std::strcmp(pciBusId, kPciBusId) != 0)
      return Outcome(cudaErrorInvalidDevice, "no device has this PCI bus id");
    return answer(device, 0);
  });
}

// A single device has no peers.

cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  return api_call("cudaDeviceCanAccessPeer", CallKind::host, [&](Runtime&) {
    for (const int one : {device, peerDevice})
      if (Outcome problem = require_device(one); problem.error) return problem;
    return answer(canAccessPeer, 0);
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int) {
  return api_call("cudaDeviceEnablePeerAccess", CallKind::host, [&](Runtime&) {
    Outcome problem = require_device(peerDevice);
    return problem.error ? problem : Outcome(cudaErrorInvalidDevice, "a device cannot be its own peer");
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  return api_call("cudaDeviceDisablePeerAccess", CallKind::host, [&](Runtime&) {
    Outcome problem = require_device(peerDevice);
    return problem.error ? problem : Outcome(cudaErrorPeerAccessNotEnabled);
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
  return api_call("cudaDeviceGetP2PAttribute", CallKind::host,
                  [](Runtime&) { return Outcome(cudaErrorInvalidDevice, "the only device is device 0"); });
}

cudaError_t cudaDriverGetVersion(int* driverVersion) {
  return api_call("cudaDriverGetVersion", CallKind::host,
                  [&](Runtime&) { return answer(driverVersion, kCudaVersion); });
}

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  return api_call("cudaRuntimeGetVersion", CallKind::host,
                  [&](Runtime&) { return answer(runtimeVersion, kCudaVersion); });
}

cudaError_t cudaProfilerStart(void) {
  return api_call("cudaProfilerStart", CallKind::host, [](Runtime&) { return Outcome(); });
}

cudaError_t cudaProfilerStop(void) {
  return api_call("cudaProfilerStop", CallKind::host, [](Runtime&) { return Outcome(); });
}
}

// The symbol that programs built with CUDA 12 use.
CUDART_ALIAS(cudaGetDeviceProperties_v2, cudaGetDeviceProperties);
