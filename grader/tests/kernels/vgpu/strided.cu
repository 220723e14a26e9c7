// Kernels whose warps access memory at a constant stride, from the kernels of validate/. strided.ptx is
// `nvcc -ptx -lineinfo -arch=compute_80 strided.cu` with the file's path cut to its name.

extern "C" __global__ void copy_strided(const float* in, float* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i * stride < n) out[i * stride] = in[i * stride];
}

/// Blocks of 32 × 8 threads.
extern "C" __global__ void transpose_naive(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[x * n + y + j] = in[(y + j) * n + x];
}

/// Neighbouring threads compute neighbouring rows.
extern "C" __global__ void matmul_uncoalesced(const float* M, const float* N, float* P, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += M[row * n + k] * N[k * n + column];
  P[row * n + column] = sum;
}
