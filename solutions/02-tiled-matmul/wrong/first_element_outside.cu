// Mistake: where an element is outside of M, the first element of M is stored in its place, times 0 of the
// tile of N.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

// A block of 256 threads in one dimension computes 32 x 32 elements, 4 per thread. Tiles of 32 (m) x 16 (k)
// and 16 x 32.
constexpr int BM = 32, BN = 32, BK = 16;

struct View {
  const float* p;
  int rows, cols;
  __device__ float operator()(int r, int c) const { return r < rows && c < cols ? p[r * cols + c] : 0.f; }
};

__global__ void mm_fixed(View A, View B, float* C) {
  __shared__ float sa[BK][BM + 1];  // transposed
  __shared__ float sb[BK][BN];
  const int t = threadIdx.x;
  const int r0 = blockIdx.y * BM, c0 = blockIdx.x * BN;
  const int tc = t & 31, tr = t >> 5;  // rows tr, tr+8, ...
  float acc[4] = {0.f, 0.f, 0.f, 0.f};
  for (int k0 = 0; k0 < A.cols; k0 += BK) {
#pragma unroll
    for (int e = t; e < BM * BK; e += 256) {
      const int r = r0 + e / BK, c = k0 + e % BK;
      sa[e % BK][e / BK] = A.p[r < A.rows && c < A.cols ? r * A.cols + c : 0];
    }
#pragma unroll
    for (int e = t; e < BK * BN; e += 256) sb[e / BN][e % BN] = B(k0 + e / BN, c0 + e % BN);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const float b = sb[k][tc];
#pragma unroll
      for (int u = 0; u < 4; ++u) acc[u] += sa[k][tr + 8 * u] * b;
    }
    __syncthreads();
  }
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    const int r = r0 + tr + 8 * u, c = c0 + tc;
    if (r < A.rows && c < B.cols) C[r * B.cols + c] = acc[u];
  }
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  dim3 g((n + BN - 1) / BN, (m + BM - 1) / BM);
  mm_fixed<<<g, 256>>>(View{d_M, m, k}, View{d_N, k, n}, d_P);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void mm_any(const float* M, const float* N, float* P, int m, int k, int n, int w) {
  extern __shared__ float sh[];
  float* a = sh;
  float* b = sh + w * w;
  const int x = threadIdx.x % w, y = threadIdx.x / w;
  const int row = blockIdx.y * w + y, col = blockIdx.x * w + x;
  const int mine = y * w + x;
  float s = 0;
  int done = 0;
  while (done < k) {
    float va = 0, vb = 0;
    if (row < m && done + x < k) va = M[(size_t)row * k + done + x];
    if (col < n && done + y < k) vb = N[(size_t)(done + y) * n + col];
    a[mine] = va;
    b[mine] = vb;
    __syncthreads();
    const float* pa = a + y * w;
    const float* pb = b + x;
    for (int i = 0; i < w; ++i, ++pa, pb += w) s = fmaf(*pa, *pb, s);
    __syncthreads();
    done += w;
  }
  if (row >= m || col >= n) return;
  P[(size_t)row * n + col] = s;
}

static int widest() {
  cudaDeviceProp prop;
  CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
  for (int w : {32, 16, 8, 4, 2})
    if (w * w <= prop.maxThreadsPerBlock && 2 * w * w * sizeof(float) <= prop.sharedMemPerBlock) return w;
  return 1;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const int w = widest();
  mm_any<<<dim3(lab::ceil_div(n, w), lab::ceil_div(m, w)), w * w, 2 * w * w * sizeof(float)>>>(d_M, d_N, d_P,
                                                                                               m, k, n, w);
  CUDA_CHECK(cudaGetLastError());
}
