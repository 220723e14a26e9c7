// Kernels of the course set (tests/kernels/course) that represent launches of a few microseconds and atomic
// operations on global memory. course.ptx is `nvcc -ptx -lineinfo -arch=compute_80 course.cu` with the file's
// path cut to its name.

extern "C" __global__ void matmul_double(const double* A, const double* B, double* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

extern "C" __global__ void matmul_naive(const float* A, const float* B, float* C, int M, int K, int N) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}

extern "C" __global__ void histo_global(const unsigned char* in, unsigned* h, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&h[in[i]], 1U);
}

extern "C" __global__ void atomics(int* a, unsigned long long* u, double* d) {
  atomicMin(a, 3);
  atomicMax(a + 1, static_cast<int>(threadIdx.x));
  atomicExch(a + 2, 7);
  const int old = atomicCAS(a + 3, 0, 1);
  atomicAnd(a + 4, old);
  atomicOr(a + 5, 1);
  atomicXor(a + 6, 2);
  atomicSub(a + 7, 1);
  atomicInc(reinterpret_cast<unsigned*>(a) + 8, 10);
  atomicAdd(u, 5ULL);
  atomicAdd(d, 1.0);
  __threadfence();
  __threadfence_block();
}
