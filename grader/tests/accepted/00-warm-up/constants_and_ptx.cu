// Idea: `a` is in constant memory, indices come from special registers by inline PTX, and so does the FMA.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__constant__ float factor;

__device__ unsigned global_index() {
  unsigned block, size, thread, index;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(block));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(size));
  asm("mov.u32 %0, %%tid.x;" : "=r"(thread));
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(index) : "r"(block), "r"(size), "r"(thread));
  return index;
}

__device__ float multiply_add(float a, float x, float y) {
  float sum;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(sum) : "f"(a), "f"(x), "f"(y));
  return sum;
}

__device__ float load_once(const float* address) {
  float value;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(address));
  return value;
}

__global__ void saxpy_kernel(unsigned n, const float* x, float* y) {
  const unsigned i = global_index();
  if (i < n) y[i] = multiply_add(factor, load_once(x + i), y[i]);
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  CUDA_CHECK(cudaMemcpyToSymbolAsync(factor, &a, sizeof a));
  saxpy_kernel<<<(n + 255u) / 256u, 256>>>(n, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  if (cudaError_t error = cudaMemcpyToSymbol(factor, &a, sizeof a)) return error;
  void* arguments[] = {&n, &d_x, &d_y};
  const unsigned blocks = block_threads ? lab::ceil_div(n, block_threads) : 1;
  cudaError_t error =
      cudaLaunchKernel(saxpy_kernel, dim3(blocks), dim3(block_threads), arguments, 0, nullptr);
  return cudaGetLastError(), error;
}

// In pieces, through one pair of buffers.
void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const int piece = n < 65536 ? n : 65536;
  float *d_x, *d_y;
  CUDA_CHECK(cudaMalloc(&d_x, piece * sizeof *d_x));
  CUDA_CHECK(cudaMalloc(&d_y, piece * sizeof *d_y));
  for (int first = 0; first < n; first += piece) {
    const int length = n - first < piece ? n - first : piece;
    CUDA_CHECK(cudaMemcpy(d_x, h_x + first, length * sizeof *d_x, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_y, h_y + first, length * sizeof *d_y, cudaMemcpyHostToDevice));
    saxpy(length, a, d_x, d_y);
    CUDA_CHECK(cudaMemcpy(h_y + first, d_y, length * sizeof *d_y, cudaMemcpyDeviceToHost));
  }
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
}
