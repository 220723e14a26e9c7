// Kenji T. My tests with 512 x 512 pass.
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

__global__ void TiledKernel(const float *A, const float *B, float *C, int m, int k, int n, int tile)
{
	extern __shared__ float buffer[];
	float *As = buffer, *Bs = buffer + tile * tile;
	int tx = threadIdx.x, ty = threadIdx.y;
	int row = blockIdx.y * tile + ty, col = blockIdx.x * tile + tx;
	float c = 0;
	for (int t = 0; t < k / tile; ++t) {
		As[ty * tile + tx] = A[row * k + t * tile + tx];
		Bs[ty * tile + tx] = B[(t * tile + ty) * n + col];
		__syncthreads();
		for (int i = 0; i < tile; ++i)
			c += As[ty * tile + i] * Bs[i * tile + tx];
		__syncthreads();
	}
	C[row * n + col] = c;
}

void tiled_matmul(const float *d_M, const float *d_N, float *d_P, int m, int k, int n)
{
	const int tile = 32;
	dim3 threads(tile, tile), blocks(n / tile, m / tile);
	TiledKernel<<<blocks, threads, 2 * tile * tile * sizeof(float)>>>(d_M, d_N, d_P, m, k, n, tile);
	CUDA_CHECK(cudaGetLastError());
}

void tiled_matmul_dynamic(const float *d_M, const float *d_N, float *d_P, int m, int k, int n)
{
	int shared = 0;
	CUDA_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, 0));
	int tile = 32;
	while (2 * tile * tile * (int)sizeof(float) > shared)
		tile /= 2;
	dim3 threads(tile, tile), blocks(n / tile, m / tile);
	TiledKernel<<<blocks, threads, 2 * tile * tile * sizeof(float)>>>(d_M, d_N, d_P, m, k, n, tile);
	CUDA_CHECK(cudaGetLastError());
}
