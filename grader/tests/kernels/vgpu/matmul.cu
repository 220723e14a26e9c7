// The matrix product P = M × N of the lectures, naive and tiled: M is m × k, N is k × n, row-major.
// matmul.ptx is `nvcc -ptx -lineinfo -arch=compute_80 matmul.cu` with the file's path cut to its name.
#define TILE_WIDTH 16

extern "C" __global__ void naive(const float* M, const float* N, float* P, int m, int k, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += M[row * k + i] * N[i * n + col];
  P[row * n + col] = sum;
}

extern "C" __global__ void tiled(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float ds_M[TILE_WIDTH][TILE_WIDTH];
  __shared__ float ds_N[TILE_WIDTH][TILE_WIDTH];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE_WIDTH + ty;
  const int col = blockIdx.x * TILE_WIDTH + tx;
  float sum = 0;
  for (int p = 0; p < (k + TILE_WIDTH - 1) / TILE_WIDTH; ++p) {
    if (row < m && p * TILE_WIDTH + tx < k) {  // the M tile
      ds_M[ty][tx] = M[row * k + p * TILE_WIDTH + tx];
    } else {
      ds_M[ty][tx] = 0;
    }
    if (p * TILE_WIDTH + ty < k && col < n) {
      ds_N[ty][tx] = N[(p * TILE_WIDTH + ty) * n + col];
    } else {
      ds_N[ty][tx] = 0;
    }
    __syncthreads();
    for (int i = 0; i < TILE_WIDTH; ++i) sum += ds_M[ty][i] * ds_N[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}
