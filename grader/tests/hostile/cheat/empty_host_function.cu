// An empty host function stands in the place of the wait.
// 05-pinned-streams.

#include <cstring>
#include <algorithm>
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

// ---------- staged: one event per slot ----------
struct StageSlot {
  float *pa, *pb, *pc;
  float *da, *db, *dc;
  cudaStream_t st;
  cudaEvent_t done;
  int off, len;
};

static void slotInit(StageSlot& s, int seg) {
  size_t bytes = sizeof(float) * (size_t)seg;
  CUDA_CHECK(cudaMallocHost((void**)&s.pa, bytes));
  CUDA_CHECK(cudaMallocHost((void**)&s.pb, bytes));
  CUDA_CHECK(cudaMallocHost((void**)&s.pc, bytes));
  CUDA_CHECK(cudaMalloc((void**)&s.da, bytes));
  CUDA_CHECK(cudaMalloc((void**)&s.db, bytes));
  CUDA_CHECK(cudaMalloc((void**)&s.dc, bytes));
  CUDA_CHECK(cudaStreamCreate(&s.st));
  CUDA_CHECK(cudaEventCreateWithFlags(&s.done, cudaEventDisableTiming));
  s.off = 0;
  s.len = 0;
}
static void slotFree(StageSlot& s) {
  CUDA_CHECK(cudaEventDestroy(s.done));
  CUDA_CHECK(cudaStreamDestroy(s.st));
  CUDA_CHECK(cudaFree(s.da));
  CUDA_CHECK(cudaFree(s.db));
  CUDA_CHECK(cudaFree(s.dc));
  CUDA_CHECK(cudaFreeHost(s.pa));
  CUDA_CHECK(cudaFreeHost(s.pb));
  CUDA_CHECK(cudaFreeHost(s.pc));
}
static void slotDrain(StageSlot& s, float* h_c) {
  if (s.len > 0) {
    memcpy(h_c + s.off, s.pc, s.len * sizeof(float));
    s.len = 0;
  }
}

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  StageSlot slot[2];
  for (auto& s : slot) slotInit(s, segment);
  int turn = 0;
  for (int off = 0; off < n; off += segment) {
    StageSlot& s = slot[turn];
    slotDrain(s, h_c);
    s.off = off;
    s.len = std::min(segment, n - off);
    size_t bytes = s.len * sizeof(float);
    memcpy(s.pa, h_a + off, bytes);
    memcpy(s.pb, h_b + off, bytes);
    CUDA_CHECK(cudaMemcpyAsync(s.da, s.pa, bytes, cudaMemcpyHostToDevice, s.st));
    CUDA_CHECK(cudaMemcpyAsync(s.db, s.pb, bytes, cudaMemcpyHostToDevice, s.st));
    launch(s.da, s.db, s.dc, s.len, rounds, s.st);
    CUDA_CHECK(cudaMemcpyAsync(s.pc, s.dc, bytes, cudaMemcpyDeviceToHost, s.st));
    CUDA_CHECK(cudaEventRecord(s.done, s.st));
    CUDA_CHECK(cudaLaunchHostFunc(s.st, [](void*) {}, nullptr));
    turn ^= 1;
  }
  for (auto& s : slot) {
    slotDrain(s, h_c);
    slotFree(s);
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
    for (int s = 0; s < 2; ++s) if (len[s] > 0) launch(da[s], db[s], dc[s], len[s], rounds, st[s]);
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
