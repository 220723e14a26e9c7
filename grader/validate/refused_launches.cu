// Prints the error of each launch that no device can run, one per line, for a comparison of a real GPU with
// the virtual GPU.
//
//   nvcc -arch=native -o refused refused_launches.cu && ./refused
//   warpgrade nvcc -o refused_here refused_launches.cu && ./refused_here
#include <cstdio>

#include <cuda_runtime.h>

__global__ void any() {}
__global__ void __launch_bounds__(64) narrow() {}
__global__ void with_shared() {
  extern __shared__ int shared[];
  shared[threadIdx.x] = 0;
}

static void report(const char* what) { std::printf("%s: %s\n", what, cudaGetErrorName(cudaGetLastError())); }

int main() {
  constexpr std::size_t kKibi = 1024;
  any<<<1, 2048>>>();
  report("2048 threads");
  any<<<1, dim3(1, 1, 65)>>>();
  report("65 threads along z");
  any<<<1, 0>>>();
  report("no threads");
  any<<<0, 32>>>();
  report("no blocks");
  any<<<dim3(1, 65536), 32>>>();
  report("65536 blocks along y");
  narrow<<<1, 65>>>();
  report("65 threads with launch bounds of 64");
  with_shared<<<1, 32, 64 * kKibi>>>();
  report("64 KiB of shared memory that was not requested");
  with_shared<<<1, 32, 1024 * kKibi>>>();
  report("1 MiB of shared memory");
  return 0;
}
