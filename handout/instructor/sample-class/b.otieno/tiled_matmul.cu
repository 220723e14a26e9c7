#include "lab/tiled_matmul.hpp"
#include "lab/check.hpp"

#define TILE 16

__global__ void kernel_fixed(const float* M, const float* N, float* P, int m, int k, int n)
{
    __shared__ float ds_M[TILE * TILE];
    __shared__ float ds_N[TILE * TILE];

    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int me = threadIdx.y * TILE + threadIdx.x;
    const bool row_ok = row < m, col_ok = col < n;

    float result = 0;
    for (int start = 0; start < k; start += TILE) {
        const int c = start + threadIdx.x;
        const int r = start + threadIdx.y;
        if (row_ok && c < k) { ds_M[me] = M[row * k + c]; } else { ds_M[me] = 0; }
        if (col_ok && r < k) { ds_N[me] = N[r * n + col]; } else { ds_N[me] = 0; }
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < TILE; ++i)
            result = fmaf(ds_M[threadIdx.y * TILE + i], ds_N[i * TILE + threadIdx.x], result);
        __syncthreads();
    }
    if (row_ok && col_ok) P[row * n + col] = result;
}

__global__ void kernel_dynamic(const float* M, const float* N, float* P, int m, int k, int n, int offset_N)
{
    extern __shared__ float shared[];
    float* ds_M = shared;
    float* ds_N = shared + offset_N;

    const int width = blockDim.x;
    const int row = blockIdx.y * width + threadIdx.y;
    const int col = blockIdx.x * width + threadIdx.x;
    const int me = threadIdx.y * width + threadIdx.x;

    float result = 0;
    for (int start = 0; start < k; start += width) {
        const int c = start + threadIdx.x;
        const int r = start + threadIdx.y;
        if (row < m && c < k) { ds_M[me] = M[row * k + c]; } else { ds_M[me] = 0; }
        if (col < n && r < k) { ds_N[me] = N[r * n + col]; } else { ds_N[me] = 0; }
        __syncthreads();
        for (int i = 0; i < width; ++i)
            result += ds_M[threadIdx.y * width + i] * ds_N[i * width + threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) P[row * n + col] = result;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n)
{
    dim3 block(TILE, TILE, 1);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE, 1);
    kernel_fixed<<<grid, block>>>(d_M, d_N, d_P, m, k, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n)
{
    cudaDeviceProp prop;
    CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));

    int width = 32;
    while (width > 1) {
        const size_t need = 2 * width * width * sizeof(float);
        if (width * width <= prop.maxThreadsPerBlock && need <= prop.sharedMemPerBlock) break;
        width /= 2;
    }

    dim3 block(width, width);
    dim3 grid((n + width - 1) / width, (m + width - 1) / width);
    kernel_dynamic<<<grid, block, 2 * width * width * sizeof(float)>>>(d_M, d_N, d_P, m, k, n, width * width);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
}
