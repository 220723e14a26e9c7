// All host functions get the same variable, which has changed when they run.

#include <algorithm>
#include <cstring>
#include <vector>

#include "lab/check.hpp"
#include "lab/pinned_streams.hpp"

__global__ void addKernel(const float* a, const float* b, float* c, int len, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= len) return;
  float s = a[i];
  for (int r = 0; r < rounds; ++r) s += b[i];
  c[i] = s;
}

static void launch(const float* a, const float* b, float* c, int len, int rounds, cudaStream_t st) {
  const int T = 128;
  addKernel<<<(len + T - 1) / T, T, 0, st>>>(a, b, c, len, rounds);
  CUDA_CHECK(cudaGetLastError());
}

// ---------- staged with host functions ----------
struct Job {
  float* dst;
  const float* src;
  size_t bytes;
};
static void CUDART_CB deliver(void* p) {
  Job* j = static_cast<Job*>(p);
  memcpy(j->dst, j->src, j->bytes);
}
void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  const size_t cap = sizeof(float) * (size_t)segment;
  float *pin[2][3], *dev[2][3];
  cudaStream_t st[2];
  for (int s = 0; s < 2; ++s) {
    for (int q = 0; q < 3; ++q) {
      CUDA_CHECK(cudaMallocHost((void**)&pin[s][q], cap));
      CUDA_CHECK(cudaMalloc((void**)&dev[s][q], cap));
    }
    CUDA_CHECK(cudaStreamCreate(&st[s]));
  }
  const int segs = (n + segment - 1) / segment;
  Job job;
  for (int i = 0; i < segs; ++i) {
    const int s = i % 2, off = i * segment, len = std::min(segment, n - off);
    const size_t bytes = len * sizeof(float);
    if (i >= 2) CUDA_CHECK(cudaStreamSynchronize(st[s]));
    memcpy(pin[s][0], h_a + off, bytes);
    memcpy(pin[s][1], h_b + off, bytes);
    CUDA_CHECK(cudaMemcpyAsync(dev[s][0], pin[s][0], bytes, cudaMemcpyHostToDevice, st[s]));
    CUDA_CHECK(cudaMemcpyAsync(dev[s][1], pin[s][1], bytes, cudaMemcpyHostToDevice, st[s]));
    launch(dev[s][0], dev[s][1], dev[s][2], len, rounds, st[s]);
    CUDA_CHECK(cudaMemcpyAsync(pin[s][2], dev[s][2], bytes, cudaMemcpyDeviceToHost, st[s]));
    job = Job{h_c + off, pin[s][2], bytes};
    CUDA_CHECK(cudaLaunchHostFunc(st[s], deliver, &job));
  }
  for (int s = 0; s < 2; ++s) {
    CUDA_CHECK(cudaStreamSynchronize(st[s]));
    CUDA_CHECK(cudaStreamDestroy(st[s]));
    for (int q = 0; q < 3; ++q) {
      CUDA_CHECK(cudaFreeHost(pin[s][q]));
      CUDA_CHECK(cudaFree(dev[s][q]));
    }
  }
}

// ---------- registered ----------
void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  size_t total = sizeof(float) * (size_t)n;
  CUDA_CHECK(cudaHostRegister((void*)h_a, total, cudaHostRegisterDefault));
  CUDA_CHECK(cudaHostRegister((void*)h_b, total, cudaHostRegisterDefault));
  CUDA_CHECK(cudaHostRegister((void*)h_c, total, cudaHostRegisterDefault));
  cudaStream_t st[2];
  float *da[2], *db[2], *dc[2];
  for (int s = 0; s < 2; ++s) {
    CUDA_CHECK(cudaStreamCreate(&st[s]));
    CUDA_CHECK(cudaMalloc((void**)&da[s], sizeof(float) * segment));
    CUDA_CHECK(cudaMalloc((void**)&db[s], sizeof(float) * segment));
    CUDA_CHECK(cudaMalloc((void**)&dc[s], sizeof(float) * segment));
  }
  for (int base = 0; base < n; base += 2 * segment) {
    int len[2] = {std::min(segment, n - base), std::min(segment, n - base - segment)};
    for (int s = 0; s < 2; ++s) {
      if (len[s] <= 0) continue;
      int off = base + s * segment;
      CUDA_CHECK(cudaMemcpyAsync(da[s], h_a + off, len[s] * sizeof(float), cudaMemcpyHostToDevice, st[s]));
      CUDA_CHECK(cudaMemcpyAsync(db[s], h_b + off, len[s] * sizeof(float), cudaMemcpyHostToDevice, st[s]));
    }
    for (int s = 0; s < 2; ++s)
      if (len[s] > 0) launch(da[s], db[s], dc[s], len[s], rounds, st[s]);
    for (int s = 0; s < 2; ++s) {
      if (len[s] <= 0) continue;
      int off = base + s * segment;
      CUDA_CHECK(cudaMemcpyAsync(h_c + off, dc[s], len[s] * sizeof(float), cudaMemcpyDeviceToHost, st[s]));
    }
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int s = 0; s < 2; ++s) {
    CUDA_CHECK(cudaStreamDestroy(st[s]));
    CUDA_CHECK(cudaFree(da[s]));
    CUDA_CHECK(cudaFree(db[s]));
    CUDA_CHECK(cudaFree(dc[s]));
  }
  CUDA_CHECK(cudaHostUnregister((void*)h_a));
  CUDA_CHECK(cudaHostUnregister((void*)h_b));
  CUDA_CHECK(cudaHostUnregister((void*)h_c));
}

void device_facts(int* facts, int n) {
  int engines = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, 0));
  facts[0] = engines;
  facts[1] = engines > 0;
  facts[2] = engines > 1;
  cudaDeviceProp prop;
  CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
  facts[3] = (unsigned long long)n * 3 * sizeof(float) <= prop.totalGlobalMem;
}

// ---------- pipeline: one stream per kind of work, events between them ----------
void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  const int K = 3;
  cudaStream_t up, work, down;
  CUDA_CHECK(cudaStreamCreate(&up));
  CUDA_CHECK(cudaStreamCreate(&work));
  CUDA_CHECK(cudaStreamCreate(&down));
  float *da[K], *db[K], *dc[K];
  cudaEvent_t loaded[K], computed[K], saved[K];
  for (int i = 0; i < K; ++i) {
    CUDA_CHECK(cudaMalloc((void**)&da[i], sizeof(float) * segment));
    CUDA_CHECK(cudaMalloc((void**)&db[i], sizeof(float) * segment));
    CUDA_CHECK(cudaMalloc((void**)&dc[i], sizeof(float) * segment));
    CUDA_CHECK(cudaEventCreateWithFlags(&loaded[i], cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&computed[i], cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&saved[i], cudaEventDisableTiming));
  }
  int idx = 0;
  for (int off = 0; off < n; off += segment, ++idx) {
    const int k = idx % K;
    const int len = std::min(segment, n - off);
    const size_t bytes = len * sizeof(float);
    if (idx >= K) CUDA_CHECK(cudaStreamWaitEvent(up, computed[k], 0));
    CUDA_CHECK(cudaMemcpyAsync(da[k], h_a + off, bytes, cudaMemcpyHostToDevice, up));
    CUDA_CHECK(cudaMemcpyAsync(db[k], h_b + off, bytes, cudaMemcpyHostToDevice, up));
    CUDA_CHECK(cudaEventRecord(loaded[k], up));
    CUDA_CHECK(cudaStreamWaitEvent(work, loaded[k], 0));
    if (idx >= K) CUDA_CHECK(cudaStreamWaitEvent(work, saved[k], 0));
    launch(da[k], db[k], dc[k], len, rounds, work);
    CUDA_CHECK(cudaEventRecord(computed[k], work));
    CUDA_CHECK(cudaStreamWaitEvent(down, computed[k], 0));
    CUDA_CHECK(cudaMemcpyAsync(h_c + off, dc[k], bytes, cudaMemcpyDeviceToHost, down));
    CUDA_CHECK(cudaEventRecord(saved[k], down));
  }
  CUDA_CHECK(cudaStreamSynchronize(down));
  for (int i = 0; i < K; ++i) {
    CUDA_CHECK(cudaFree(da[i]));
    CUDA_CHECK(cudaFree(db[i]));
    CUDA_CHECK(cudaFree(dc[i]));
    CUDA_CHECK(cudaEventDestroy(loaded[i]));
    CUDA_CHECK(cudaEventDestroy(computed[i]));
    CUDA_CHECK(cudaEventDestroy(saved[i]));
  }
  CUDA_CHECK(cudaStreamDestroy(up));
  CUDA_CHECK(cudaStreamDestroy(work));
  CUDA_CHECK(cudaStreamDestroy(down));
}
