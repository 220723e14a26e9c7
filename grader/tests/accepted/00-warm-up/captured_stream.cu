// Idea: the launch is captured from a stream into a graph; a second launch API (cudaLaunchKernelExC) for
// errors.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__global__ void __launch_bounds__(1024) saxpy_kernel(int n, float a, const float* __restrict__ x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] += a * __ldg(x + i);
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  saxpy_kernel<<<lab::ceil_div(n, 256), 256, 0, stream>>>(n, a, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(executable, stream));
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
  }
  CUDA_CHECK(cudaGraphExecDestroy(executable));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(block_threads > 0 ? lab::ceil_div(n, block_threads) : 1);
  config.blockDim = dim3(block_threads);
  const cudaError_t result = cudaLaunchKernelEx(&config, saxpy_kernel, n, a, d_x, d_y);
  cudaGetLastError();
  return result;
}
