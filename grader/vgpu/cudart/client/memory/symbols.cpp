// Functions for __device__ and __constant__ variables, which programs identify by the address of their host
// shadow.

#include "vgpu/cudart/client/streams/work.hpp"

namespace vgpu::cudart::client {

OrOutcome<CopyWork> copy_to_symbol(Runtime& runtime, const void* symbol, const void* from,
                                   std::size_t size_bytes, std::size_t offset, cudaMemcpyKind kind) {
  const auto place = runtime.place_in_variable(symbol, offset, size_bytes);
  if (!place) return grader::Unexpected{place.error()};
  return linear_copy(pointer_to(*place), from, size_bytes, kind);
}

OrOutcome<CopyWork> copy_from_symbol(Runtime& runtime, void* to, const void* symbol, std::size_t size_bytes,
                                     std::size_t offset, cudaMemcpyKind kind) {
  const auto place = runtime.place_in_variable(symbol, offset, size_bytes);
  if (!place) return grader::Unexpected{place.error()};
  return linear_copy(to, pointer_to(*place), size_bytes, kind);
}

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return api_call("cudaMemcpyToSymbol", CallKind::waiting, [&](Runtime& runtime) {
    const auto work = copy_to_symbol(runtime, symbol, src, count, offset, kind);
    return work ? issue_and_wait(runtime, *work) : work.error();
  });
}

cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind) {
  return api_call("cudaMemcpyFromSymbol", CallKind::waiting, [&](Runtime& runtime) {
    const auto work = copy_from_symbol(runtime, dst, symbol, count, offset, kind);
    return work ? issue_and_wait(runtime, *work) : work.error();
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call("cudaMemcpyToSymbolAsync", CallKind::queued, [&](Runtime& runtime) {
    const auto work = copy_to_symbol(runtime, symbol, src, count, offset, kind);
    return work ? issue(runtime, stream, *work) : work.error();
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call("cudaMemcpyFromSymbolAsync", CallKind::queued, [&](Runtime& runtime) {
    const auto work = copy_from_symbol(runtime, dst, symbol, count, offset, kind);
    return work ? issue(runtime, stream, *work) : work.error();
  });
}

cudaError_t cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  return api_call("cudaGetSymbolAddress", CallKind::host, [&](Runtime& runtime) {
    if (!devPtr) return null_result();
    const auto range = runtime.variable(symbol);
    if (range) *devPtr = pointer_to(range->address);
    return range ? Outcome() : range.error();
  });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return api_call("cudaGetSymbolSize", CallKind::host, [&](Runtime& runtime) {
    if (!size) return null_result();
    const auto range = runtime.variable(symbol);
    if (range) *size = range->size_bytes;
    return range ? Outcome() : range.error();
  });
}
}
