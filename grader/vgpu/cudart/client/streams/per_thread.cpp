// The API for programs compiled with nvcc's --default-stream per-thread: the same functions under other
// names, with one default stream per thread.

#include "vgpu/cudart/client/streams/streams.hpp"

extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void** args,
                                          size_t sharedMem, cudaStream_t stream);

using vgpu::cudart::client::UsePerThreadStream;

#define PER_THREAD(name, target, parameters, arguments)                           \
  extern "C" __attribute__((visibility("default"))) cudaError_t name parameters { \
    const UsePerThreadStream scope;                                               \
    return target arguments;                                                      \
  }
#include "vgpu/cudart/client/streams/per_thread_calls.def"
#undef PER_THREAD
