// Kernel launches. nvcc 13 turns kernel<<<…>>>(…) into __cudaPushCallConfiguration in the caller, then, in
// the kernel's host stub, __cudaPopCallConfiguration, __cudaGetKernel and __cudaLaunchKernel; clang and older
// nvcc call cudaLaunchKernel with the stub's address.

#include <cstring>

#include "client/handles.hpp"
#include "client/runtime.hpp"
#include "client/stream_times.hpp"

namespace vgpu::cudart::client {
namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};
thread_local std::vector<CallConfiguration> call_configurations;

Dim3 extent(dim3 d) { return {d.x, d.y, d.z}; }

std::vector<std::byte> pack_parameters(const KernelFacts& facts, void** arguments) {
  std::vector<std::byte> packed(facts.parameter_bytes);
  for (std::size_t i = 0; i < facts.parameter_sizes.size() && i < facts.parameter_offsets.size(); ++i) {
    const std::size_t offset = facts.parameter_offsets[i];
    const std::size_t size = facts.parameter_sizes[i];
    if (offset <= packed.size() && size <= packed.size() - offset)
      std::memcpy(&packed[offset], arguments[i], size);
  }
  return packed;
}

Outcome launch(Runtime& runtime, const void* function, dim3 grid, dim3 block, void** arguments,
               size_t shared_bytes, cudaStream_t stream) {
  if (!is_stream(stream)) return invalid_stream();
  const auto kernel = runtime.kernel(function);
  if (!kernel) return kernel.error();
  const KernelFacts& facts = *(*kernel)->facts;
  if (!arguments && !facts.parameter_sizes.empty())
    return {cudaErrorInvalidValue, "the argument list is null"};

  LaunchKernel request;
  request.module = *(*kernel)->binary->module;
  request.kernel = (*kernel)->name;
  request.grid = extent(grid);
  request.block = extent(block);
  request.dynamic_shared_bytes = shared_bytes;
  request.stream = number_of(stream);
  const auto answered = runtime.ask(request, pack_parameters(facts, arguments));
  if (!answered) return {error_of(answered.status), "kernel " + request.kernel + ": " + answered.reason};
  runtime.note_launch(request.kernel, answered.answer);
  return {};
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

#pragma GCC visibility push(default)
extern "C" {

unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, CUstream_st* stream) {
  call_configurations.push_back({gridDim, blockDim, sharedMem, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem, void* stream) {
  if (call_configurations.empty()) return cudaErrorMissingConfiguration;
  const CallConfiguration configuration = call_configurations.back();
  call_configurations.pop_back();
  *gridDim = configuration.grid;
  *blockDim = configuration.block;
  *sharedMem = configuration.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}

/// The handle is the host stub's address: both launch interfaces lead to the same lookup.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(host_function));
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                             cudaStream_t stream) {
  return api_call("cudaLaunchKernel", CallKind::queued, [&](Runtime& runtime) {
    return launch(runtime, func, gridDim, blockDim, args, sharedMem, stream);
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void** args,
                               size_t sharedMem, cudaStream_t stream) {
  return cudaLaunchKernel(static_cast<const void*>(kernel), gridDim, blockDim, args, sharedMem, stream);
}
}
#pragma GCC visibility pop

CUDART_ALIAS(cudaLaunchKernel_ptsz, cudaLaunchKernel);
CUDART_ALIAS(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);
