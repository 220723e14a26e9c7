// Idea: copies, padding and the kernel of step are captured into a graph, with a fork; memory comes from a
// pool of its own.

#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

constexpr float kInfinity = HUGE_VALF;

__global__ void step_v1_kernel(float* r, const float* d, int n) {
  for (int i = blockIdx.x; i < n; i += gridDim.x)  // a row for each block
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
      float least = kInfinity;
      for (int k = 0; k < n; ++k) least = fminf(d[k * n + j] + d[i * n + k], least);
      r[i * n + j] = least;
    }
}

void step_v1(float* r, const float* d, int n) {
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  float* memory = nullptr;
  const size_t bytes = n * n * sizeof(float);
  CUDA_CHECK(cudaMallocAsync(&memory, 2 * bytes, stream));
  CUDA_CHECK(cudaMemcpyAsync(memory, d, bytes, cudaMemcpyHostToDevice, stream));
  step_v1_kernel<<<n, 64, 0, stream>>>(memory + n * n, memory, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyAsync(r, memory + n * n, bytes, cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaFreeAsync(memory, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

// Each warp: 32 columns of one row, for one of the two outputs.
__global__ void pad_kernel(const float* __restrict__ in, float* __restrict__ padded, int n, int nn) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * 32 + threadIdx.x;
  padded[i * nn + j] = i < n && j < n ? in[i * n + j] : kInfinity;
}
__global__ void turn_kernel(const float* __restrict__ in, float* __restrict__ transposed, int n, int nn) {
  __shared__ float tile[32][33];
  for (int y = threadIdx.y; y < 32; y += blockDim.y) {
    const int i = blockIdx.y * 32 + y, j = blockIdx.x * 32 + threadIdx.x;
    tile[threadIdx.x][y] = i < n && j < n ? in[i * n + j] : kInfinity;
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += blockDim.y)
    transposed[(blockIdx.x * 32 + y) * nn + blockIdx.y * 32 + threadIdx.x] = tile[y][threadIdx.x];
}

void pad_and_turn(const float* d_in, float* d_padded, float* d_transposed, int n, int nn, cudaStream_t one,
                  cudaStream_t two) {
  pad_kernel<<<dim3(nn / 32, nn / 8), dim3(32, 8), 0, one>>>(d_in, d_padded, n, nn);
  turn_kernel<<<dim3(nn / 32, nn / 32), dim3(32, 8), 0, two>>>(d_in, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  pad_and_turn(d_in, d_padded, d_transposed, n, nn, nullptr, nullptr);
}

__global__ void step_kernel(float* r, const float* d, const float* t, int n, int nn) {
  float least[8][8];
#pragma unroll
  for (int q = 0; q < 64; ++q) least[q >> 3][q & 7] = kInfinity;
  t += blockIdx.y * 64 + threadIdx.y;
  d += blockIdx.x * 64 + threadIdx.x;
  for (int k = 0; k < n; ++k, t += nn, d += nn) {
    const float x[8] = {t[0], t[8], t[16], t[24], t[32], t[40], t[48], t[56]};
#pragma unroll
    for (int b = 0; b < 8; ++b) {
      const float y = d[8 * b];
#pragma unroll
      for (int a = 0; a < 8; ++a) least[a][b] = fminf(least[a][b], x[a] + y);
    }
  }
#pragma unroll
  for (int a = 0; a < 8; ++a)
#pragma unroll
    for (int b = 0; b < 8; ++b) {
      const int i = blockIdx.y * 64 + threadIdx.y + 8 * a, j = blockIdx.x * 64 + threadIdx.x + 8 * b;
      if (i < n && j < n) r[i * n + j] = least[a][b];
    }
}

void step(float* r, const float* d, int n) {
  const int tiles = lab::ceil_div(n, 64), nn = 64 * tiles;
  const size_t bytes = n * n * sizeof(float);
  CUDA_CHECK(cudaHostRegister(r, bytes, cudaHostRegisterDefault));
  CUDA_CHECK(cudaHostRegister(const_cast<float*>(d), bytes, cudaHostRegisterDefault));
  float* memory = nullptr;
  CUDA_CHECK(cudaMalloc(&memory, bytes + 2 * nn * nn * sizeof(float)));
  float *padded = memory, *transposed = memory + nn * nn, *plain = transposed + nn * nn;
  cudaStream_t main, side;
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA_CHECK(cudaStreamCreateWithFlags(&main, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreate(&fork));
  CUDA_CHECK(cudaEventCreate(&join));
  CUDA_CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaMemcpyAsync(plain, d, bytes, cudaMemcpyHostToDevice, main));
  CUDA_CHECK(cudaEventRecord(fork, main));
  CUDA_CHECK(cudaStreamWaitEvent(side, fork, 0));
  pad_and_turn(plain, padded, transposed, n, nn, main, side);
  CUDA_CHECK(cudaEventRecord(join, side));
  CUDA_CHECK(cudaStreamWaitEvent(main, join, 0));
  step_kernel<<<dim3(tiles, tiles), dim3(8, 8), 0, main>>>(plain, padded, transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyAsync(r, plain, bytes, cudaMemcpyDeviceToHost, main));
  CUDA_CHECK(cudaStreamEndCapture(main, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(executable, main));
  CUDA_CHECK(cudaStreamSynchronize(main));
  CUDA_CHECK(cudaGraphExecDestroy(executable));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaEventDestroy(join));
  CUDA_CHECK(cudaEventDestroy(fork));
  CUDA_CHECK(cudaStreamDestroy(side));
  CUDA_CHECK(cudaStreamDestroy(main));
  CUDA_CHECK(cudaFree(memory));
  CUDA_CHECK(cudaHostUnregister(const_cast<float*>(d)));
  CUDA_CHECK(cudaHostUnregister(r));
}
