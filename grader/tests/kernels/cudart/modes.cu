// Runtime functions that course programs use; the first argument of `run`, which the test's loader calls,
// selects one of many modes. programs_test.cpp checks every line that this program prints.

#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

extern "C" cudaError_t cudaDeviceGraphMemTrim(int device);

static __device__ float offsets[4];  // written only by the host

namespace {

__constant__ float scale[4];
__device__ unsigned int visits;

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void add_without_guard(const float* a, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + 1;
}

__global__ void reverse(float* values, int n) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

__global__ void scaled(float* values) {
  values[threadIdx.x] = scale[threadIdx.x % 4] * values[threadIdx.x] + offsets[threadIdx.x % 4];
  atomicAdd(&visits, 1u);
}

__global__ void greet(int number) {
  if (threadIdx.x == 1)
    printf("thread %d of block %d says %d and %.2f\n", threadIdx.x, blockIdx.x, number, 1.5f);
}

const char* name(cudaError_t error) { return cudaGetErrorName(error); }

void print_values(const float* d_values, int n) {
  std::vector<float> values(n);
  cudaMemcpy(values.data(), d_values, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (float v : values) std::printf("%g ", v);
  std::printf("\n");
}

float* ramp(int n) {
  std::vector<float> values(n);
  for (int i = 0; i < n; ++i) values[i] = static_cast<float>(i);
  float* d_values = nullptr;
  if (cudaMalloc(&d_values, n * sizeof(float)) != cudaSuccess) return nullptr;
  cudaMemcpy(d_values, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  return d_values;
}

void vector_add() {
  const int n = 1000;
  float* a = ramp(n);
  float* c = nullptr;
  cudaMalloc(&c, n * sizeof(float));
  cudaMemset(c, 0, n * sizeof(float));
  add<<<(n + 255) / 256, 256>>>(a, a, c, n);
  std::printf("%s\n", name(cudaGetLastError()));
  print_values(c + n - 3, 3);
  cudaFree(a);
  cudaFree(c);
}

void dynamic_shared() {
  float* values = ramp(4);
  reverse<<<1, 4, 4 * sizeof(float)>>>(values, 4);
  print_values(values, 4);
  cudaFree(values);
}

void symbols() {
  const float factors[4] = {1, 10, 100, 1000};
  const float ones[4] = {1, 1, 1, 1};
  std::printf("%s\n", name(cudaMemcpyToSymbol(scale, factors, sizeof factors)));
  std::printf("%s\n", name(cudaMemcpyToSymbol(offsets, ones, sizeof ones)));
  float* values = ramp(8);
  scaled<<<1, 8>>>(values);
  print_values(values, 8);
  unsigned int count = 0;
  cudaMemcpyFromSymbol(&count, visits, sizeof count);
  std::printf("%u visits\n", count);
  cudaFree(values);
}

void device_printf() {
  greet<<<2, 32>>>(7);
  std::printf("%s\n", name(cudaDeviceSynchronize()));
}

void out_of_bounds() {
  float* a = ramp(64);
  float* c = ramp(32);
  add_without_guard<<<1, 64>>>(a, c);
  std::printf("launch %s\n", name(cudaGetLastError()));
  std::printf("wait %s\n", name(cudaDeviceSynchronize()));
  std::printf("later %s\n", name(cudaFree(c)));
}

void too_many_threads() {
  float* a = ramp(32);
  add_without_guard<<<1, 2048>>>(a, a);
  std::printf("launch %s\n", name(cudaGetLastError()));
  add_without_guard<<<1, 32>>>(a, a);
  std::printf("then %s\n", name(cudaDeviceSynchronize()));
  cudaFree(a);
}

void events() {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  float* a = ramp(1 << 16);
  cudaEventRecord(start);
  add<<<256, 256>>>(a, a, a, 1 << 16);
  cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  float ms = 0;
  const cudaError_t error = cudaEventElapsedTime(&ms, start, stop);
  std::printf("%s %s\n", name(error), ms > 0 ? "took time" : "took none");
  cudaFree(a);
}

void no_device() {
  int count = -1;
  const cudaError_t error = cudaGetDeviceCount(&count);
  std::printf("%s %d\n", name(error), count);
}

void unsupported() { std::printf("%s\n", name(cudaDeviceGraphMemTrim(0))); }

}  // namespace

extern "C" int run(const char* mode) {
  const struct {
    const char* name;
    void (*function)();
  } kModes[] = {
      {"vector-add", vector_add}, {"dynamic-shared", dynamic_shared}, {"symbols", symbols},
      {"printf", device_printf},  {"out-of-bounds", out_of_bounds},   {"too-many-threads", too_many_threads},
      {"events", events},         {"no-device", no_device},           {"unsupported", unsupported}};
  for (const auto& known : kModes) {
    if (std::strcmp(mode, known.name) == 0) return known.function(), 0;
  }
  return 1;
}
