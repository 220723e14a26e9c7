// One kernel for each form that PTX text takes. Both nvcc and clang compile this file, clang without a CUDA
// Toolkit. ../../ptx/fixtures contains their output; README.md there lists the commands.
#ifndef __NVCC__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#define NOINLINE __attribute__((noinline))
#include <__clang_cuda_builtin_vars.h>

struct alignas(16) float4 {
  float x, y, z, w;
};
extern "C" __device__ int vprintf(const char* format, void* arguments);
#define printf(format, value) vprintf(format, &value)
#else
#include <cstdio>
#define NOINLINE __noinline__
#endif

constexpr int kTile = 16;

__constant__ float c_mask[5] = {0.5F, -1.0F, 2.0F};
__device__ const double d_table[2][3] = {{1.0, 2.0, 3.0}, {4.0}};
__device__ int d_value = -7;
__device__ int* d_pointers[2] = {&d_value, &d_value + 0};
__device__ unsigned char d_bytes[8] = {1, 2, 255};

// Shared arrays, two barriers, a loop, boundary guards.
__global__ void __launch_bounds__(kTile* kTile)
    tiled_matmul(const float* a, const float* b, float* c, int m, int k, int n) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int first = 0; first < k; first += kTile) {
    a_tile[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0F;
    b_tile[ty][tx] = first + ty < k && column < n ? b[(first + ty) * n + column] : 0.0F;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

// An early return inside a branch; afterwards the remaining lanes must converge.
__global__ void early_return(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 0) {
    out[i] = 1;
    if (i >= n) return;
    out[i] += 2;
  }
  __syncthreads();
  out[i] += 4;
}

// Dynamic shared memory, vector access, constants, double.
extern __shared__ float s_dynamic[];
__global__ void vectors(const float4* in, float4* out, double* sum) {
  const float4 v = in[threadIdx.x];
  s_dynamic[threadIdx.x] = v.x * c_mask[0] + v.y * c_mask[1] + v.z * c_mask[2];
  __syncthreads();
  out[threadIdx.x] = float4{v.w, s_dynamic[threadIdx.x ^ 1], v.y, 1.25F};
  *sum = d_table[threadIdx.x % 2][threadIdx.x % 3] + 0.1;
}

__device__ NOINLINE int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

// Recursion, a call through a pointer, a call of the runtime's printf, a local array.
__global__ void calls(int* out, int (*function)(int), int depth) {
  int scratch[8];
  for (int i = 0; i < 8; ++i) scratch[i] = out[i] + d_bytes[i];
  int argument = scratch[depth & 7];
  printf("value %d\n", argument);
  out[0] = fibonacci(depth) + function(argument) + *d_pointers[depth & 1];
}

// A dense switch: brx.idx if the compiler makes a jump table.
__global__ void dense_switch(int* out, int n) {
  const int i = threadIdx.x;
  switch (out[i] % n) {
    case 0:
      out[i] = i * 3;
      break;
    case 1:
      out[i + 1] = i ^ 5;
      break;
    case 2:
      out[i] /= 7;
      break;
    case 3:
      out[i + 2] -= 9;
      break;
    case 4:
      out[i] <<= i;
      break;
    case 5:
      out[i + 3] = d_value;
      break;
    case 6:
      out[i] = -i;
      break;
    case 7:
      out[i + 4] += 11;
      break;
    case 8:
      out[i + 5] = out[i] * out[i];
      break;
    case 9:
      out[i + 6] |= 12;
      break;
    case 10:
      out[2 * i] = 13;
      break;
    default:
      out[i] = 0;
  }
}

// Inline assembly: a scope with its own registers and label, twice, and a destination pair.
__global__ void inline_assembly(unsigned* out) {
  unsigned value = threadIdx.x;
  for (int i = 0; i < 2; ++i) {
    asm volatile(
        "{\n\t.reg .pred found;\n\t.reg .b32 t<2>;\n\t"
        "shfl.sync.down.b32 t0|found, %0, 1, 31, 0xffffffff;\n\t"
        "@!found bra DONE;\n\t"
        "add.u32 %0, %0, t0;\n\t"
        "DONE:\n\t}"
        : "+r"(value));
  }
  asm volatile("atom.global.add.u32 _, [%0+0x4], 010;" ::"l"(out));
  out[threadIdx.x] = value;
}
