// Kernels limited by arithmetic, shared memory or synchronisation: matrix products, reductions, min-plus,
// n-body and chains of dependent instructions.
#pragma once

// ---- P = M × N, all n × n, row-major ----

/// One thread per element; blockDim.x runs along columns.
__global__ void matmul_naive(const float* M, const float* N, float* P, int n) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= n || column >= n) return;
  float sum = 0.0F;
  for (int k = 0; k < n; ++k) sum += M[row * n + k] * N[k * n + column];
  P[row * n + column] = sum;
}

/// The typical mistake: neighbouring threads are a row apart.
__global__ void matmul_uncoalesced(const float* M, const float* N, float* P, int n) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int column = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row >= n || column >= n) return;
  float sum = 0.0F;
  for (int k = 0; k < n; ++k) sum += M[row * n + k] * N[k * n + column];
  P[row * n + column] = sum;
}

template <int kTile>
__global__ void matmul_tiled(const float* M, const float* N, float* P, int n) {
  __shared__ float tile_M[kTile][kTile];
  __shared__ float tile_N[kTile][kTile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * kTile + ty;
  const int column = static_cast<int>(blockIdx.x) * kTile + tx;
  float sum = 0.0F;
  for (int phase = 0; phase < (n + kTile - 1) / kTile; ++phase) {
    const int k = phase * kTile;
    tile_M[ty][tx] = (row < n && k + tx < n) ? M[row * n + k + tx] : 0.0F;
    tile_N[ty][tx] = (k + ty < n && column < n) ? N[(k + ty) * n + column] : 0.0F;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_M[ty][i] * tile_N[i][tx];
    __syncthreads();
  }
  if (row < n && column < n) P[row * n + column] = sum;
}

/// 64 × 64 elements per block of 16 × 16 threads, 4 × 4 per thread; n is a multiple of 64.
__global__ void matmul_register_blocked(const float* M, const float* N, float* P, int n) {
  constexpr int kTile = 64;
  constexpr int kDepth = 16;
  constexpr int kOwn = 4;
  __shared__ float tile_M[kDepth][kTile];
  __shared__ float tile_N[kDepth][kTile];
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const int first_row = static_cast<int>(blockIdx.y) * kTile;
  const int first_column = static_cast<int>(blockIdx.x) * kTile;
  float sum[kOwn][kOwn] = {};
  for (int k = 0; k < n; k += kDepth) {
    for (int e = thread; e < kTile * kDepth; e += 256) {
      tile_M[e % kDepth][e / kDepth] = M[(first_row + e / kDepth) * n + k + e % kDepth];
      tile_N[e / kTile][e % kTile] = N[(k + e / kTile) * n + first_column + e % kTile];
    }
    __syncthreads();
    for (int i = 0; i < kDepth; ++i) {
      for (int r = 0; r < kOwn; ++r) {
        for (int c = 0; c < kOwn; ++c)
          sum[r][c] += tile_M[i][threadIdx.y * kOwn + r] * tile_N[i][threadIdx.x * kOwn + c];
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < kOwn; ++r) {
    for (int c = 0; c < kOwn; ++c)
      P[(first_row + threadIdx.y * kOwn + r) * n + first_column + threadIdx.x * kOwn + c] = sum[r][c];
  }
}

__global__ void matmul_double(const double* M, const double* N, double* P, int n) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= n || column >= n) return;
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += M[row * n + k] * N[k * n + column];
  P[row * n + column] = sum;
}

// ---- sums; each block of 256 threads writes one partial sum ----

constexpr unsigned kReduceThreads = 256;

__global__ void reduce_divergent(const float* in, float* out) {
  __shared__ float part[kReduceThreads];
  const unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * kReduceThreads + t];
  __syncthreads();
  for (unsigned stride = 1; stride < kReduceThreads; stride *= 2) {
    if (t % (2 * stride) == 0) part[t] += part[t + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void reduce_bank_conflicts(const float* in, float* out) {
  __shared__ float part[kReduceThreads];
  const unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * kReduceThreads + t];
  __syncthreads();
  for (unsigned stride = 1; stride < kReduceThreads; stride *= 2) {
    const unsigned first = 2 * stride * t;
    if (first < kReduceThreads) part[first] += part[first + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void reduce_contiguous(const float* in, float* out) {
  __shared__ float part[kReduceThreads];
  const unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * kReduceThreads + t];
  __syncthreads();
  for (unsigned stride = kReduceThreads / 2; stride > 0; stride /= 2) {
    if (t < stride) part[t] += part[t + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

/// Any grid: each thread first sums its share of the n elements in a register.
__global__ void reduce_shuffle(const float* in, float* out, int n) {
  __shared__ float warps[kReduceThreads / 32];
  float sum = 0.0F;
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += step) sum += in[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0U, sum, offset);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < kReduceThreads / 32 ? warps[threadIdx.x] : 0.0F;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0U, sum, offset);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/// All threads use one address.
__global__ void reduce_atomic(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(out, in[i]);
}

/// Inclusive sums within each block of 256 (Hillis and Steele).
__global__ void scan_blocks(const float* in, float* out) {
  __shared__ float part[2][kReduceThreads];
  const unsigned t = threadIdx.x;
  unsigned now = 0;
  part[0][t] = in[blockIdx.x * kReduceThreads + t];
  __syncthreads();
  for (unsigned offset = 1; offset < kReduceThreads; offset *= 2) {
    part[1 - now][t] = part[now][t] + (t >= offset ? part[now][t - offset] : 0.0F);
    now = 1 - now;
    __syncthreads();
  }
  out[blockIdx.x * kReduceThreads + t] = part[now][t];
}

// ---- r(i, j) = min over k of d(i, k) + d(k, j), all n × n ----

__global__ void minplus_naive(const float* d, float* r, int n) {
  const int i = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n || j >= n) return;
  float best = 1e30F;
  for (int k = 0; k < n; ++k) best = fminf(best, d[n * i + k] + d[n * k + j]);
  r[n * i + j] = best;
}

/// 64 × 64 results per block of 8 × 8 threads, 8 × 8 per thread; n is a multiple of 64. d_transposed(k, i) =
/// d(i, k).
__global__ void minplus_register_blocked(const float* d, const float* d_transposed, float* r, int n) {
  constexpr int kOwn = 8;
  const int ia = static_cast<int>(threadIdx.x);
  const int ja = static_cast<int>(threadIdx.y);
  const int ic = static_cast<int>(blockIdx.x) * 64;
  const int jc = static_cast<int>(blockIdx.y) * 64;
  float best[kOwn][kOwn];
  for (int i = 0; i < kOwn; ++i)
    for (int j = 0; j < kOwn; ++j) best[i][j] = 1e30F;
  for (int k = 0; k < n; ++k) {
    float x[kOwn];
    float y[kOwn];
    for (int b = 0; b < kOwn; ++b) {
      x[b] = d[n * k + ic + b * 8 + ia];
      y[b] = d_transposed[n * k + jc + b * 8 + ja];
    }
    for (int i = 0; i < kOwn; ++i)
      for (int j = 0; j < kOwn; ++j) best[i][j] = fminf(best[i][j], x[i] + y[j]);
  }
  for (int i = 0; i < kOwn; ++i)
    for (int j = 0; j < kOwn; ++j) r[n * (jc + j * 8 + ja) + ic + i * 8 + ia] = best[i][j];
}

// ---- others ----

__global__ void nbody(const float4* bodies, float4* forces, int n) {
  __shared__ float4 tile[256];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 own = bodies[i];
  float fx = 0.0F;
  float fy = 0.0F;
  float fz = 0.0F;
  for (int first = 0; first < n; first += 256) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      const float dx = tile[j].x - own.x;
      const float dy = tile[j].y - own.y;
      const float dz = tile[j].z - own.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-9F);
      const float scale = inverse * inverse * inverse * tile[j].w;
      fx += dx * scale;
      fy += dy * scale;
      fz += dz * scale;
    }
    __syncthreads();
  }
  forces[i] = make_float4(fx, fy, fz, 0.0F);
}

/// Neighbouring threads leave the loop at different times.
__global__ void mandelbrot(int* out, int n, int limit) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= n || y >= n) return;
  const float cr = static_cast<float>(x) * 3.0F / static_cast<float>(n) - 2.0F;
  const float ci = static_cast<float>(y) * 2.0F / static_cast<float>(n) - 1.0F;
  float zr = 0.0F;
  float zi = 0.0F;
  int step = 0;
  for (; step < limit && zr * zr + zi * zi < 4.0F; ++step) {
    const float next = zr * zr - zi * zi + cr;
    zi = 2.0F * zr * zi + ci;
    zr = next;
  }
  out[y * n + x] = step;
}

/// The mean of the (2 radius + 1)² neighbours.
__global__ void blur(const float* in, float* out, int n, int radius) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= n || y >= n) return;
  float sum = 0.0F;
  int count = 0;
  for (int j = y - radius; j <= y + radius; ++j) {
    for (int i = x - radius; i <= x + radius; ++i) {
      if (i < 0 || i >= n || j < 0 || j >= n) continue;
      sum += in[j * n + i];
      ++count;
    }
  }
  out[y * n + x] = sum / static_cast<float>(count);
}

/// Each step waits for the last: its time is the latency of a multiply-add, or with many warps its
/// throughput.
__global__ void fma_chain(float* out, int steps) {
  float x = static_cast<float>(threadIdx.x) * 1e-3F;
#pragma unroll 16
  for (int i = 0; i < steps; ++i) x = fmaf(x, 0.999F, 0.5F);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void double_fma_chain(double* out, int steps) {
  double x = threadIdx.x * 1e-3;
#pragma unroll 16
  for (int i = 0; i < steps; ++i) x = fma(x, 0.999, 0.5);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void integer_chain(unsigned* out, int steps) {
  unsigned x = threadIdx.x;
#pragma unroll 16
  for (int i = 0; i < steps; ++i) x = x * 1664525U + 1013904223U;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void rsqrt_chain(float* out, int steps) {
  float x = static_cast<float>(threadIdx.x) + 2.0F;
#pragma unroll 16
  for (int i = 0; i < steps; ++i) x = rsqrtf(x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
