// Kernels limited by memory: copies, transposes, matrix times vector, histograms, pointer chases. Each
// comes in the variants that a course compares.
#pragma once

__global__ void empty() {}

__global__ void fill_index(float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = static_cast<float>(i % 1000) * 0.001F;
}

/// Bytes of a multiplicative hash (Knuth, TAOCP 3, 6.4): every value occurs about equally often, without
/// order.
__global__ void fill_bytes(unsigned char* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = static_cast<unsigned char>((static_cast<unsigned>(i) * 2654435761U) >> 24U);
}

// ---- copies ----

__global__ void copy(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = in[i];
}

__global__ void copy_float4(const float4* in, float4* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = in[i];
}

/// Thread i moves element i × stride: from stride 8 on every thread needs a separate sector.
__global__ void copy_strided(const float* in, float* out, int n, int stride) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i * stride < n) out[i * stride] = in[i * stride];
}

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void saxpy_grid_stride(int n, float a, const float* x, float* y) {
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += step)
    y[i] = a * x[i] + y[i];
}

// ---- transposes of n × n; n is a multiple of 32; blocks of 32 × 8 threads ----

constexpr int kTransposeTile = 32;
constexpr int kTransposeRows = 8;

__global__ void transpose_naive(const float* in, float* out, int n) {
  const int x = static_cast<int>(blockIdx.x * kTransposeTile + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kTransposeTile + threadIdx.y);
  for (int j = 0; j < kTransposeTile; j += kTransposeRows) out[x * n + y + j] = in[(y + j) * n + x];
}

/// kPadding 0: all threads of a warp read the same bank; 1: each thread reads a different bank.
template <int kPadding>
__global__ void transpose_tiled(const float* in, float* out, int n) {
  __shared__ float tile[kTransposeTile][kTransposeTile + kPadding];
  int x = static_cast<int>(blockIdx.x * kTransposeTile + threadIdx.x);
  int y = static_cast<int>(blockIdx.y * kTransposeTile + threadIdx.y);
  for (int j = 0; j < kTransposeTile; j += kTransposeRows)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = static_cast<int>(blockIdx.y * kTransposeTile + threadIdx.x);
  y = static_cast<int>(blockIdx.x * kTransposeTile + threadIdx.y);
  for (int j = 0; j < kTransposeTile; j += kTransposeRows)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// ---- y = A x, A is n × n, row-major ----

__global__ void matvec_thread_per_row(const float* A, const float* x, float* y, int n) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= n) return;
  float sum = 0.0F;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * x[k];
  y[row] = sum;
}

__global__ void matvec_warp_per_row(const float* A, const float* x, float* y, int n) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (row >= n) return;
  float sum = 0.0F;
  for (int k = lane; k < n; k += 32) sum += A[row * n + k] * x[k];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0U, sum, offset);
  if (lane == 0) y[row] = sum;
}

// ---- histograms of bytes ----

__global__ void histogram_global(const unsigned char* in, unsigned* bins, int n) {
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += step)
    atomicAdd(&bins[in[i]], 1U);
}

__global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned own[256];
  for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
  __syncthreads();
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += step)
    atomicAdd(&own[in[i]], 1U);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < 256; b += blockDim.x)
    if (own[b] != 0) atomicAdd(&bins[b], own[b]);
}

// ---- latencies: one thread follows a chain of indices; the time of a step is a latency ----

/// A cycle through n words, each `stride` words from the last; n is a multiple of stride.
__global__ void make_chain(unsigned* chain, int n, int stride) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) chain[i] = static_cast<unsigned>((i + stride) % n);
}

/// Starts where the last launch stopped; *at is this position.
__global__ void chase_global(const unsigned* chain, unsigned* at, int steps) {
  unsigned here = *at;
  for (int i = 0; i < steps; ++i) here = chain[here];
  *at = here;
}

/// Like chase_global, but bypasses the SM's cache.
__global__ void chase_l2(const unsigned* chain, unsigned* at, int steps) {
  unsigned here = *at;
  for (int i = 0; i < steps; ++i) here = __ldcg(&chain[here]);
  *at = here;
}

__global__ void chase_shared(const unsigned* chain, unsigned* out, int steps) {
  __shared__ unsigned own[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) own[i] = chain[i] % 1024;
  __syncthreads();
  unsigned at = 0;
  for (int i = 0; i < steps; ++i) at = own[at];
  *out = at;
}
