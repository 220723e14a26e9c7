// The device's facts. There is one device, number 0.

#include <algorithm>
#include <climits>
#include <cstring>

#include "client/device_properties.hpp"
#include "client/runtime.hpp"
#include "client/stream_times.hpp"

namespace vgpu::cudart::client {
namespace {

constexpr int kCudaVersion = 13000;  ///< 13.0, as CUDA encodes it

Outcome require_device(int device) {
  if (device == 0) return {};
  return {cudaErrorInvalidDevice,
          "device " + std::to_string(device) + " was asked for; there is only device 0"};
}

/// *result = value, for the many calls that answer one number.
template <class T>
Outcome answer(T* result, T value) {
  if (!result) return {cudaErrorInvalidValue, "the result's address is null"};
  *result = value;
  return {};
}

Outcome reset(Runtime& runtime) {
  runtime.forget_device_ranges();
  return outcome_of(runtime.ask(Reset{}));
}

}  // namespace
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

// The name that programs built with CUDA 12 use.
CUDART_ALIAS(cudaGetDeviceProperties_v2, cudaGetDeviceProperties);
