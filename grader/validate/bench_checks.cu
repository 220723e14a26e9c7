// All kernels of the two headers, for bench_checks.sh.
#include "compute_kernels.cuh"
#include "memory_kernels.cuh"

template __global__ void matmul_tiled<8>(const float*, const float*, float*, int);
template __global__ void matmul_tiled<16>(const float*, const float*, float*, int);
template __global__ void matmul_tiled<32>(const float*, const float*, float*, int);
template __global__ void transpose_tiled<0>(const float*, float*, int);
template __global__ void transpose_tiled<1>(const float*, float*, int);
