// Idea: work is split over two streams that fork and join by events inside a captured graph; inline PTX in
// kernels.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

// Runs upper(stream 1) and lower(stream 2) as branches of one graph.
template <class A, class B>
void in_parallel(A upper, B lower) {
  cudaStream_t one, two;
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA_CHECK(cudaStreamCreate(&one));
  CUDA_CHECK(cudaStreamCreate(&two));
  CUDA_CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CUDA_CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  CUDA_CHECK(cudaEventRecord(fork, one));
  CUDA_CHECK(cudaStreamWaitEvent(two, fork, 0));
  upper(one);
  lower(two);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(join, two));
  CUDA_CHECK(cudaStreamWaitEvent(one, join, 0));
  CUDA_CHECK(cudaStreamEndCapture(one, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(executable, one));
  CUDA_CHECK(cudaStreamSynchronize(one));
  CUDA_CHECK(cudaGraphExecDestroy(executable));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaEventDestroy(join));
  CUDA_CHECK(cudaEventDestroy(fork));
  CUDA_CHECK(cudaStreamDestroy(two));
  CUDA_CHECK(cudaStreamDestroy(one));
}

__device__ float load(const float* from) {
  float value;
  asm volatile("ld.global.cs.f32 %0, [%1];" : "=f"(value) : "l"(from));
  return value;
}
__device__ void store(float* to, float value) {
  asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(to), "f"(value) : "memory");
}

// Rows of tiles from `first` on.
__global__ void transpose_kernel(const float* in, float* out, int width, int height, int first) {
  __shared__ float tile[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32, y = (first + blockIdx.y) * 32;
  for (int r = ty; r < 32; r += 8)
    if (y + r < height && x + tx < width) tile[r][tx] = load(in + (y + r) * width + x + tx);
  __syncthreads();
  for (int r = ty; r < 32; r += 8)
    if (x + r < width && y + tx < height) store(out + (x + r) * height + y + tx, tile[tx][r]);
}

void transpose(const float* d_in, float* d_out, int width, int height) {
  const unsigned across = lab::ceil_div(width, 32), down = lab::ceil_div(height, 32), half = down / 2;
  const dim3 block(32, 8);
  in_parallel(
      [&](cudaStream_t s) {
        if (half > 0) transpose_kernel<<<dim3(across, half), block, 0, s>>>(d_in, d_out, width, height, 0);
      },
      [&](cudaStream_t s) {
        transpose_kernel<<<dim3(across, down - half), block, 0, s>>>(d_in, d_out, width, height, half);
      });
}

int block_transpose_is_safe(int block_size, int threads_in_step) {
  int threads = 0;
  for (int row = 0; row < block_size; ++row) threads += block_size;
  return threads > threads_in_step ? 0 : 1;
}

__global__ void block_transpose_kernel(float* A, int width) {
  __shared__ float tile[32][33];
  float* at = A + (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = *at;
  asm volatile("bar.sync 0;" ::: "memory");
  *at = tile[threadIdx.x][threadIdx.y];
}

void block_transpose(float* d_A, int width, int height, int block_size) {
  block_transpose_kernel<<<dim3(width / block_size, height / block_size), dim3(block_size, block_size), 0,
                           cudaStreamPerThread>>>(d_A, width);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}

// 64 columns of P for each block of 32 × 16 threads, two by two for each thread.
__global__ void corner_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float a[32][32], b[64][33];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32, col = blockIdx.x * 64;
  float s[2][2] = {};
  for (int i = 0; i < k; i += 32) {
    for (int r = ty; r < 32; r += 16) a[r][tx] = row + r < m && i + tx < k ? M[(row + r) * k + i + tx] : 0;
    for (int r = ty; r < 64; r += 16) b[r][tx] = col + r < n && i + tx < k ? N[(col + r) * k + i + tx] : 0;
    __syncthreads();
    for (int j = 0; j < 32; ++j) {
      const float upper = a[ty][j], lower = a[ty + 16][j], left = b[tx][j], right = b[tx + 32][j];
      s[0][0] += upper * left, s[0][1] += upper * right, s[1][0] += lower * left, s[1][1] += lower * right;
    }
    __syncthreads();
  }
#pragma unroll
  for (int q = 0; q < 4; ++q)
    if (const int r = row + ty + 16 * (q / 2), c = col + tx + 32 * (q % 2); r < m && c < n)
      P[r * n + c] = s[q / 2][q % 2];
}

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  corner_kernel<<<dim3(lab::ceil_div(n, 64), lab::ceil_div(m, 32)), dim3(32, 16)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void matvec_kernel(const float* A, const float* x, float* y, int first, int last, int columns) {
  const int row = first + (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= last) return;
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  float sum = 0;
  for (int i = lane; i < columns; i += 32)
    asm("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(load(A + row * columns + i)), "f"(x[i]));
  for (int d = 1; d < 32; d *= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 31) y[row] = sum;
}

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  const int half = rows / 2;
  in_parallel(
      [=](cudaStream_t s) {
        if (half > 0) matvec_kernel<<<lab::ceil_div(half, 2), 64, 0, s>>>(d_A, d_x, d_y, 0, half, columns);
      },
      [=](cudaStream_t s) {
        matvec_kernel<<<lab::ceil_div(rows - half, 2), 64, 0, s>>>(d_A, d_x, d_y, half, rows, columns);
      });
}

__global__ void points_kernel(const float* from, float* x, float* y, float* z, int n) {
  __shared__ float staged[3 * 256];
  const int first = blockIdx.x * 256, words = 3 * min(256, n - first);
  for (int w = threadIdx.x; w < words; w += blockDim.x) staged[w] = load(from + 3 * first + w);
  __syncthreads();
  const int axis = threadIdx.x / 256;  // 768 threads: the first 256 have x
  const int p = threadIdx.x % 256;
  float* const to[] = {x, y, z};
  if (first + p < n) store((axis == 0 ? to[0] : axis == 1 ? to[1] : to[2]) + first + p, staged[3 * p + axis]);
}

void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n) {
  points_kernel<<<lab::ceil_div(n, 256), 768>>>(&d_points->x, d_x, d_y, d_z, n);
  CUDA_CHECK(cudaGetLastError());
}
