// Idea: x is read through a texture object bound to linear memory.

#include <cstring>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__global__ void saxpy_kernel(int n, float a, cudaTextureObject_t x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * tex1Dfetch<float>(x, i);
}

struct Texture {
  cudaTextureObject_t object = 0;
  Texture(const float* d_values, int n) {
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<float*>(d_values);
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    CUDA_CHECK(cudaCreateTextureObject(&object, &resource, &description, nullptr));
  }
  ~Texture() {
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(object);
  }
};

void saxpy(int n, float a, const float* d_x, float* d_y) {
  const Texture x(d_x, n);
  saxpy_kernel<<<lab::ceil_div(n, 256), 256>>>(n, a, x.object, d_y);
  CUDA_CHECK(cudaGetLastError());
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  const Texture x(d_x, n);
  const int blocks = block_threads > 0 ? lab::ceil_div(n, block_threads) : 1;
  saxpy_kernel<<<blocks, block_threads>>>(n, a, x.object, d_y);
  return cudaGetLastError();
}

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
