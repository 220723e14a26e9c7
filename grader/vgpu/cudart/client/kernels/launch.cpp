// Kernel launches. For kernel<<<…>>>(…), nvcc 13 generates __cudaPushCallConfiguration in the caller. In the
// kernel's host stub, it generates __cudaPopCallConfiguration, __cudaGetKernel and __cudaLaunchKernel. clang
// and older versions of nvcc call cudaLaunchKernel with the stub's address instead.

#include <utility>

#include "vgpu/cudart/client/streams/work.hpp"

namespace vgpu::cudart::client {
namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};
thread_local std::vector<CallConfiguration> call_configurations;
/// True from a stub's __cudaPopCallConfiguration to its launch.
thread_local bool is_in_stub = false;

/// kernel<<<…>>>(…) returns nothing: only the stub gets the result of its launch.
Outcome for_stub(Outcome outcome) {
  outcome.is_returned = false;
  return outcome;
}

/// Applies an attribute of a launch. Hints are ignored. Attributes that the virtual GPU would have to obey
/// but does not support are refused.
Outcome apply_attribute(const cudaLaunchAttribute& attribute, KernelWork& work) {
  switch (attribute.id) {
    case cudaLaunchAttributeCooperative:
      work.cooperative = attribute.val.cooperative != 0;
      return {};
    case cudaLaunchAttributeClusterDimension:
      if (attribute.val.clusterDim.x * attribute.val.clusterDim.y * attribute.val.clusterDim.z <= 1)
        return {};
      return {cudaErrorNotSupported, "a launch in clusters of several blocks"};
    case cudaLaunchAttributeProgrammaticEvent:
    case cudaLaunchAttributeLaunchCompletionEvent:
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
      return {cudaErrorNotSupported, "launch attribute " + std::to_string(attribute.id)};
    default:
      return {};
  }
}

Outcome launch(Runtime& runtime, const void* function, const cudaLaunchConfig_t& config, void** arguments,
               CallSite::Caller caller = CallSite::Caller::program) {
  auto work =
      kernel_work(runtime, function, config.gridDim, config.blockDim, arguments, config.dynamicSmemBytes);
  if (!work) return work.error();
  work->caller = caller;
  if (config.numAttrs > 0 && !config.attrs) return {cudaErrorInvalidValue, "the attributes' address is null"};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    Outcome problem = apply_attribute(config.attrs[i], *work);
    if (problem.error == cudaErrorNotSupported) runtime.report_unsupported(problem.detail.c_str());
    if (problem.error != cudaSuccess) return problem;
  }
  return issue(runtime, config.stream, *std::move(work));
}

cudaLaunchConfig_t plain(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return config;
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
  is_in_stub = true;
  return cudaSuccess;
}

/// The handle is the host stub's address, so that both launch interfaces use the same lookup.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(host_function));
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                             cudaStream_t stream) {
  const bool by_stub = std::exchange(is_in_stub, false);
  return api_call("cudaLaunchKernel", CallKind::queued, [&](Runtime& runtime) {
    Outcome outcome = launch(runtime, func, plain(gridDim, blockDim, sharedMem, stream), args,
                             by_stub ? CallSite::Caller::stub : CallSite::Caller::program);
    return by_stub ? for_stub(std::move(outcome)) : outcome;
  });
}

/// Only stubs call this function.
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void** args,
                               size_t sharedMem, cudaStream_t stream) {
  is_in_stub = false;
  return api_call("cudaLaunchKernel", CallKind::queued, [&](Runtime& runtime) {
    return for_stub(
        launch(runtime, kernel, plain(gridDim, blockDim, sharedMem, stream), args, CallSite::Caller::stub));
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                        size_t sharedMem, cudaStream_t stream) {
  return api_call("cudaLaunchCooperativeKernel", CallKind::queued, [&](Runtime& runtime) {
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    cudaLaunchConfig_t config = plain(gridDim, blockDim, sharedMem, stream);
    config.attrs = &cooperative;
    config.numAttrs = 1;
    return launch(runtime, func, config, args);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  return api_call("cudaLaunchKernelExC", CallKind::queued, [&](Runtime& runtime) {
    if (!config) return Outcome(cudaErrorInvalidValue, "the configuration's address is null");
    return launch(runtime, func, *config, args);
  });
}
}
#pragma GCC visibility pop
