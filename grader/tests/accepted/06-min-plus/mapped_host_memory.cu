// Idea: the caller's arrays are registered and mapped: kernels read and write them where they are (step_v1),
// copies are pinned (step).

#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

// Pins an array of the caller and gives its address on the device.
class Mapped {
 public:
  Mapped(const float* array, size_t bytes) : host_(const_cast<float*>(array)) {
    CUDA_CHECK(cudaHostRegister(host_, bytes, cudaHostRegisterMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(&device_, host_, 0));
  }
  ~Mapped() { CUDA_CHECK(cudaHostUnregister(host_)); }
  Mapped(const Mapped&) = delete;
  float* device() const { return device_; }

 private:
  float* host_;
  float* device_ = nullptr;
};

__global__ void step_v1_kernel(float* r, const float* d, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;  // one number for each element, row after row
  if (t >= n * n) return;
  const float* row = d + t / n * n;
  const float* column = d + t % n;
  float least = INFINITY;
  for (int k = 0; k < n; ++k, column += n) {
    const float length = row[k] + *column;
    least = length < least ? length : least;
  }
  r[t] = least;
}

void step_v1(float* r, const float* d, int n) {
  const size_t bytes = sizeof(float) * n * n;
  const Mapped in(d, bytes), out(r, bytes);
  step_v1_kernel<<<lab::ceil_div(n * n, 128), 128>>>(out.device(), in.device(), n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

// 64 × 4 threads; a block writes 64 columns of 16 rows of one matrix: z is 0 for the copy, 1 for the
// transpose.
__global__ void pad_transpose_kernel(const float* in, float* padded, float* transposed, int n, int nn) {
  const int j = blockIdx.x * 64 + threadIdx.x;
  for (int i = blockIdx.y * 16 + threadIdx.y; i < (blockIdx.y + 1) * 16; i += 4) {
    const bool there = i < n && j < n;
    if (blockIdx.z == 0)
      padded[i * nn + j] = there ? in[i * n + j] : INFINITY;
    else
      transposed[i * nn + j] = there ? in[j * n + i] : INFINITY;
  }
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  pad_transpose_kernel<<<dim3(nn / 64, nn / 16, 2), dim3(64, 4)>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

// Two iterations of k at a time; the second set of operands is loaded before the first is used.
__global__ void step_kernel(float* r, const float* d, const float* t, int n, int nn) {
  const int i0 = blockIdx.y * 64 + threadIdx.x / 8, j0 = blockIdx.x * 64 + threadIdx.x % 8;
  float least[8][8], x[2][8], y[2][8];
#pragma unroll
  for (int q = 0; q < 64; ++q) least[q / 8][q % 8] = INFINITY;
  const auto load = [&](int k, float(&column)[8], float(&row)[8]) {
#pragma unroll
    for (int q = 0; q < 8; ++q) column[q] = t[k * nn + i0 + 8 * q], row[q] = d[k * nn + j0 + 8 * q];
  };
  const auto use = [&](const float(&column)[8], const float(&row)[8]) {
#pragma unroll
    for (int a = 0; a < 8; ++a)
#pragma unroll
      for (int b = 0; b < 8; ++b) least[a][b] = fminf(least[a][b], column[a] + row[b]);
  };
  load(0, x[0], y[0]);
  for (int k = 0; k < n; k += 2) {  // row k + 1 < nn exists: nn is even
    load(k + 1, x[1], y[1]);
    use(x[0], y[0]);
    if (k + 2 < n) load(k + 2, x[0], y[0]);
    use(x[1], y[1]);  // infinity, if k + 1 is n
  }
#pragma unroll
  for (int a = 0; a < 8; ++a)
#pragma unroll
    for (int b = 0; b < 8; ++b)
      if (i0 + 8 * a < n && j0 + 8 * b < n) r[(i0 + 8 * a) * n + j0 + 8 * b] = least[a][b];
}

void step(float* r, const float* d, int n) {
  const int nn = (n + 63) & ~63;
  const size_t bytes = sizeof(float) * n * n;
  const Mapped in(d, bytes), out(r, bytes);
  float *d_in, *d_padded, *d_transposed;
  CUDA_CHECK(cudaMalloc(&d_in, bytes));
  CUDA_CHECK(cudaMalloc(&d_padded, sizeof(float) * nn * nn));
  CUDA_CHECK(cudaMalloc(&d_transposed, sizeof(float) * nn * nn));
  CUDA_CHECK(cudaMemcpyAsync(d_in, d, bytes, cudaMemcpyHostToDevice));
  pad_transpose(d_in, d_padded, d_transposed, n, nn);
  step_kernel<<<dim3(nn / 64, nn / 64), 64>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyAsync(r, d_in, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaDeviceSynchronize());
  for (float* memory : {d_in, d_padded, d_transposed}) CUDA_CHECK(cudaFree(memory));
}
