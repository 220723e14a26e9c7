// Device memory: allocation, copies, fills.

#include "client/copy.hpp"
#include "client/handles.hpp"

namespace vgpu::cudart::client {
namespace {

Outcome allocate(Runtime& runtime, void** pointer, std::size_t size_bytes) {
  if (!pointer) return {cudaErrorInvalidValue, "the pointer's address is null"};
  *pointer = nullptr;
  if (size_bytes == 0) return {};
  const auto answered = runtime.ask(Allocate{size_bytes});
  if (!answered) return outcome_of(answered);
  runtime.add_device_range({answered.answer.address, size_bytes});
  *pointer = pointer_to(answered.answer.address);
  return {};
}

Outcome release(Runtime& runtime, const void* pointer) {
  if (!pointer) return {};
  Free request;
  request.address = address_of(pointer);
  const auto answered = runtime.ask(request);
  if (!answered) return outcome_of(answered);
  runtime.remove_device_range(request.address);
  return wait_for_device(runtime);
}

Outcome fill(Runtime& runtime, void* pointer, int value, std::size_t size_bytes, cudaStream_t stream) {
  if (size_bytes == 0) return {};
  Outcome problem = check_device_range(runtime, "destination", address_of(pointer), size_bytes);
  if (problem.error != cudaSuccess) return problem;
  problem = outcome_of(runtime.ask(Fill{address_of(pointer), size_bytes, static_cast<std::uint8_t>(value)}));
  return problem.error != cudaSuccess ? problem : tell_fill(runtime, size_bytes, stream);
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  return api_call("cudaMalloc", CallKind::waiting,
                  [&](Runtime& runtime) { return allocate(runtime, devPtr, size); });
}

cudaError_t cudaFree(void* devPtr) {
  return api_call("cudaFree", CallKind::waiting, [&](Runtime& runtime) { return release(runtime, devPtr); });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api_call("cudaMemGetInfo", CallKind::waiting, [&](Runtime& runtime) {
    if (!free || !total) return Outcome(cudaErrorInvalidValue, "a result's address is null");
    const auto answered = runtime.ask(vgpu::cudart::AskMemory{});
    *free = answered.answer.free_bytes;
    *total = answered.answer.total_bytes;
    return outcome_of(answered);
  });
}

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return api_call("cudaMemcpy", CallKind::waiting,
                  [&](Runtime& runtime) { return copy_memory(runtime, dst, src, count, kind); });
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return api_call("cudaMemcpyAsync", CallKind::queued, [&](Runtime& runtime) {
    return is_stream(stream) ? copy_memory(runtime, dst, src, count, kind, stream, HostWaits::no)
                             : invalid_stream();
  });
}

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return api_call("cudaMemset", CallKind::queued,
                  [&](Runtime& runtime) { return fill(runtime, devPtr, value, count, nullptr); });
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  return api_call("cudaMemsetAsync", CallKind::queued, [&](Runtime& runtime) {
    return is_stream(stream) ? fill(runtime, devPtr, value, count, stream) : invalid_stream();
  });
}
}

CUDART_ALIAS(cudaMemcpy_ptds, cudaMemcpy);
CUDART_ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);
CUDART_ALIAS(cudaMemset_ptds, cudaMemset);
CUDART_ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);
