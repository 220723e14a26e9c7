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

// The copies are captured, too: two branches for the copies to the device, which join before the launch.
void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const size_t bytes = n * sizeof(float);
  float *d_x, *d_y;
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  CUDA_CHECK(cudaMalloc(&d_y, bytes));
  cudaStream_t stream, side;
  cudaEvent_t forked, joined;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  for (cudaStream_t* one : {&stream, &side}) CUDA_CHECK(cudaStreamCreate(one));
  for (cudaEvent_t* one : {&forked, &joined}) CUDA_CHECK(cudaEventCreate(one));
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaEventRecord(forked, stream));
  CUDA_CHECK(cudaStreamWaitEvent(side, forked, 0));
  CUDA_CHECK(cudaMemcpyAsync(d_x, h_x, bytes, cudaMemcpyHostToDevice, side));
  CUDA_CHECK(cudaEventRecord(joined, side));
  CUDA_CHECK(cudaMemcpyAsync(d_y, h_y, bytes, cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaStreamWaitEvent(stream, joined, 0));
  saxpy_kernel<<<lab::ceil_div(n, 256), 256, 0, stream>>>(n, a, d_x, d_y);
  CUDA_CHECK(cudaMemcpyAsync(h_y, d_y, bytes, cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(executable, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaGraphExecDestroy(executable));
  CUDA_CHECK(cudaGraphDestroy(graph));
  for (cudaEvent_t one : {forked, joined}) CUDA_CHECK(cudaEventDestroy(one));
  for (cudaStream_t one : {stream, side}) CUDA_CHECK(cudaStreamDestroy(one));
  for (float* one : {d_x, d_y}) CUDA_CHECK(cudaFree(one));
}
