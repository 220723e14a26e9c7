// Behaviours of a standalone program; the first argument selects one.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void scale(float* values, int n, float factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] *= factor;
}

__global__ void greet() {
  if (threadIdx.x == 0) printf("block %d\n", static_cast<int>(blockIdx.x));
}

__global__ void forever(volatile int* flag) {
  while (*flag == 0) {
  }
}

static float* device_array(int n) {
  float* values = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&values), n * sizeof(float));
  cudaMemset(values, 0, n * sizeof(float));
  return values;
}

static int work(int allocated, int used) {
  float* values = device_array(allocated);
  scale<<<1, 64>>>(values, used, 2.0f);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  cudaFree(values);
  return error == cudaSuccess ? 0 : 1;
}

/// A kernel receives memory of the host, or a null pointer.
static int work_on(float* values) {
  scale<<<1, 64>>>(values, 64, 2.0f);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

/// The first copy fails; `looks`: the program asks why before it continues.
static int failed_copy(bool looks) {
  float* values = device_array(64);
  float host[64] = {};
  const cudaError_t error = cudaMemcpy(values, host, sizeof host, cudaMemcpyDeviceToHost);
  if (looks) std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  if (!looks) (void)error;
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  cudaFree(values);
  return 0;
}

/// Only cudaDeviceReset() follows the failing calls.
static int bad_calls_last() {
  float* values = device_array(64);
  float host[8] = {};
  cudaFree(values);
  cudaFree(values);
  cudaFree(host);
  cudaMemcpy(device_array(8), host, sizeof host, cudaMemcpyDeviceToHost);
  cudaDeviceReset();
  return 0;
}

static int use_after_free() {
  float* values = device_array(64);
  cudaFree(values);
  return work_on(values);
}

static int lose_host_memory() {
  float *managed = nullptr, *pinned = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&managed), 4096);
  cudaMallocHost(reinterpret_cast<void**>(&pinned), 100);
  return 0;
}

/// The kernel accesses memory past the end of managed memory.
static int leave_managed() {
  float* managed = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&managed), 60 * sizeof(float));
  for (int i = 0; i < 60; ++i) managed[i] = 0;
  return work_on(managed);
}

/// The program ends with a launch that no device allows.
static int refused_launch(bool looks) {
  scale<<<1, 4096>>>(nullptr, 0, 2.0f);
  if (looks) std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}

static void endless_kernel() {
  int* flag = reinterpret_cast<int*>(device_array(1));
  std::fprintf(stderr, "started\n");
  alarm(1);
  forever<<<1, 1>>>(flag);
  cudaDeviceSynchronize();
}

static int copy_unwritten(int written) {
  float* values = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&values), 64 * sizeof(float));
  if (written > 0) cudaMemset(values, 0, written * sizeof(float));
  float host[64];
  const cudaError_t error = cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(values);
  return error == cudaSuccess ? 0 : 1;
}

__device__ int* kept;
__global__ void allocate_in_kernel() { kept = new int(7); }
__global__ void free_in_kernel() { delete kept; }

/// A later kernel frees what the first one allocated, or the program only resets the device.
static int use_kernel_memory(const char* end) {
  allocate_in_kernel<<<1, 1>>>();
  if (std::strcmp(end, "free") == 0) free_in_kernel<<<1, 1>>>();
  const cudaError_t error = cudaDeviceSynchronize();
  if (std::strcmp(end, "reset") == 0) cudaDeviceReset();
  return error == cudaSuccess ? 0 : 1;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (std::strcmp(mode, "right") == 0) return work(64, 64);
  if (std::strcmp(mode, "wrong") == 0) return work(60, 64);
  if (std::strcmp(mode, "ignored") == 0) return work(60, 64), 0;
  if (std::strcmp(mode, "exit-code") == 0) return std::atoi(argv[2]);
  if (std::strcmp(mode, "leak") == 0) return device_array(8), 0;
  if (std::strcmp(mode, "host-pointer") == 0) return work_on(new float[64]());
  if (std::strcmp(mode, "null-pointer") == 0) return work_on(nullptr);
  if (std::strcmp(mode, "failed-copy") == 0) return failed_copy(false);
  if (std::strcmp(mode, "failed-copy-seen") == 0) return failed_copy(true);
  if (std::strcmp(mode, "bad-calls-last") == 0) return bad_calls_last();
  if (std::strcmp(mode, "use-after-free") == 0) return use_after_free();
  if (std::strcmp(mode, "lost-host-memory") == 0) return lose_host_memory();
  if (std::strcmp(mode, "leave-managed") == 0) return leave_managed();
  if (std::strcmp(mode, "refused-launch") == 0) return refused_launch(false);
  if (std::strcmp(mode, "refused-launch-seen") == 0) return refused_launch(true);
  if (std::strcmp(mode, "device-pointer") == 0)
    return static_cast<int>(*static_cast<volatile float*>(device_array(8)));
  if (std::strcmp(mode, "crash") == 0) {
    float* values = device_array(8);
    scale<<<1, 8>>>(values, *static_cast<volatile int*>(nullptr), 2.0f);
  }
  if (std::strcmp(mode, "freed-host-memory") == 0) {
    float *pinned = nullptr, *managed = nullptr;
    cudaMallocHost(reinterpret_cast<void**>(&pinned), 64);
    cudaMallocManaged(reinterpret_cast<void**>(&managed), 64);
    cudaFreeHost(pinned);
    cudaFree(managed);
    volatile float* const used = argc > 2 ? managed : pinned;
    return static_cast<int>(argc > 2 ? used[2] = 1 : used[1]);
  }
  if (std::strcmp(mode, "copy-unwritten") == 0) return copy_unwritten(std::atoi(argv[2]));
  if (std::strcmp(mode, "kernel-memory") == 0) return use_kernel_memory(argv[2]);
  if (std::strcmp(mode, "abort") == 0) return bad_calls_last(), std::abort(), 0;
  if (std::strcmp(mode, "endless") == 0) return endless_kernel(), 0;
  if (std::strcmp(mode, "killed") == 0) return work(60, 64), std::raise(SIGKILL);
  if (std::strcmp(mode, "printf") == 0) {
    std::printf("before\n");
    greet<<<3, 32>>>();
    cudaDeviceSynchronize();
    std::printf("after\n");
    return 0;
  }
  if (std::strcmp(mode, "children") == 0) {  // the device is not a child process of the program
    work(64, 64);
    std::printf("%d\n", static_cast<int>(wait(nullptr)));
    return 0;
  }
  return 99;
}
