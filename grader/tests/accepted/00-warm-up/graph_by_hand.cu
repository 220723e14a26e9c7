// Idea: a graph of one kernel node, built by hand, instantiated and launched; also for blocks of any size.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], y[i]);
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  void* arguments[] = {&n, &a, &d_x, &d_y};
  cudaKernelNodeParams node = {};
  node.func = reinterpret_cast<void*>(saxpy_kernel);
  node.gridDim = dim3(block_threads > 0 ? lab::ceil_div(n, block_threads) : 1);
  node.blockDim = dim3(block_threads);
  node.kernelParams = arguments;

  cudaGraph_t graph = nullptr;
  cudaGraphNode_t added = nullptr;
  cudaGraphExec_t executable = nullptr;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaError_t result = cudaGraphAddKernelNode(&added, graph, nullptr, 0, &node);
  if (result == cudaSuccess) result = cudaGraphInstantiate(&executable, graph, 0);
  if (result == cudaSuccess) result = cudaGraphLaunch(executable, nullptr);
  if (result == cudaSuccess) result = cudaStreamSynchronize(nullptr);
  if (executable != nullptr) cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaGetLastError();  // the caller gets the error from us
  return result;
}

void saxpy(int n, float a, const float* d_x, float* d_y) { CUDA_CHECK(saxpy_in_blocks(n, a, d_x, d_y, 256)); }

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const size_t bytes = n * sizeof(float);
  float *d_x = nullptr, *d_y = nullptr;
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  CUDA_CHECK(cudaMalloc(&d_y, bytes));
  CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice));
  saxpy(n, a, d_x, d_y);
  CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
}
