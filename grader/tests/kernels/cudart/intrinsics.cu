// Intrinsics of the CUDA Toolkit's headers, as nvcc compiles them. Each group compares every result with
// plain host arithmetic and prints one line. Needs nvcc.

#include <cstdint>
#include <cstdio>

#include <cuda/barrier>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 64;

template <class T>
T* managed_copy(const T* values, int count) {
  T* device = nullptr;
  cudaMalloc(&device, count * sizeof(T));
  cudaMemcpy(device, values, count * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

int g_wrong = 0;
void expect(bool right, const char* what, int index) {
  if (right || g_wrong++ > 5) return;
  printf("  %s is wrong for input %d\n", what, index);
}
void finish(const char* group) {
  const cudaError_t error = cudaGetLastError();
  printf("%s %s\n", group, error != cudaSuccess ? cudaGetErrorName(error) : g_wrong == 0 ? "right" : "wrong");
  g_wrong = 0;
}

// --- words as vectors of bytes and half words ---------------------------------------------------------

constexpr int kWordResults = 14;

__global__ void words(const unsigned* in, unsigned* out, int count) {
  const int i = threadIdx.x;
  if (i >= count) return;
  const unsigned a = in[i], b = in[(i + 1) % count];
  unsigned* o = out + i * kWordResults;
  o[0] = __vadd4(a, b);
  o[1] = __vsubus2(a, b);
  o[2] = __vabsdiffu4(a, b);
  o[3] = __vavgu4(a, b);
  o[4] = __vmaxs2(a, b);
  o[5] = __vcmpgtu4(a, b);
  o[6] = __vsadu4(a, b);
  o[7] = __dp4a(static_cast<int>(a), static_cast<int>(b), 5);
  o[8] = __dp2a_hi(a, b, 7u);
  o[9] = __byte_perm(a, b, 0x3715);
  o[10] = __funnelshift_l(a, b, i);
  o[11] = __usad(a, b, 3);
  o[12] = __rhadd(static_cast<int>(a), static_cast<int>(b));
  o[13] = __fns(a, 4, 2);
}

unsigned byte_of(unsigned word, int i) { return word >> (8 * i) & 0xFF; }
unsigned half_of(unsigned word, int i) { return word >> (16 * i) & 0xFFFF; }
template <class F>
unsigned by_bytes(F f) {
  unsigned packed = 0;
  for (int i = 0; i < 4; ++i) packed |= (f(i) & 0xFFu) << (8 * i);
  return packed;
}
template <class F>
unsigned by_halves(F f) {
  return (f(0) & 0xFFFFu) | (f(1) & 0xFFFFu) << 16;
}

void expected_words(unsigned a, unsigned b, int i, unsigned* o) {
  o[0] = by_bytes([&](int k) { return byte_of(a, k) + byte_of(b, k); });
  o[1] = by_halves([&](int k) { return half_of(a, k) > half_of(b, k) ? half_of(a, k) - half_of(b, k) : 0u; });
  const auto distance = [&](int k) {
    return byte_of(a, k) > byte_of(b, k) ? byte_of(a, k) - byte_of(b, k) : byte_of(b, k) - byte_of(a, k);
  };
  o[2] = by_bytes(distance);
  o[3] = by_bytes([&](int k) { return (byte_of(a, k) + byte_of(b, k) + 1) / 2; });
  o[4] = by_halves([&](int k) {
    const auto x = static_cast<short>(half_of(a, k)), y = static_cast<short>(half_of(b, k));
    return static_cast<unsigned>(x > y ? x : y);
  });
  o[5] = by_bytes([&](int k) { return byte_of(a, k) > byte_of(b, k) ? 0xFFu : 0u; });
  o[6] = distance(0) + distance(1) + distance(2) + distance(3);
  int sum = 5;
  for (int k = 0; k < 4; ++k)
    sum += static_cast<signed char>(byte_of(a, k)) * static_cast<signed char>(byte_of(b, k));
  o[7] = static_cast<unsigned>(sum);
  o[8] = 7 + half_of(a, 0) * byte_of(b, 2) + half_of(a, 1) * byte_of(b, 3);
  o[9] = byte_of(b, 1) | byte_of(a, 1) << 8 | byte_of(b, 3) << 16 | byte_of(a, 3) << 24;
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  o[10] = static_cast<unsigned>(both << (i % 32) >> 32);
  o[11] = (a > b ? a - b : b - a) + 3;
  o[12] = static_cast<unsigned>((std::int64_t{static_cast<int>(a)} + static_cast<int>(b) + 1) >> 1);
  o[13] = 0xFFFFFFFF;
  for (int bit = 4, seen = 0; bit < 32; ++bit) {
    if ((a >> bit & 1) != 0 && ++seen == 2) {
      o[13] = static_cast<unsigned>(bit);
      break;
    }
  }
}

void check_words() {
  unsigned in[kThreads];
  unsigned state = 1;
  for (unsigned& word : in) word = state = state * 1664525u + 1013904223u;
  in[3] = 0;
  in[4] = 0xFFFFFFFF;
  in[5] = 0x80808080;
  unsigned* device_in = managed_copy(in, kThreads);
  unsigned out[kThreads * kWordResults] = {};
  unsigned* device_out = managed_copy(out, kThreads * kWordResults);
  words<<<1, kThreads>>>(device_in, device_out, kThreads);
  cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kThreads; ++i) {
    unsigned wanted[kWordResults];
    expected_words(in[i], in[(i + 1) % kThreads], i, wanted);
    for (int k = 0; k < kWordResults; ++k)
      expect(out[i * kWordResults + k] == wanted[k], "word", i * 100 + k);
  }
  finish("words");
}

// --- 128-bit integers: carry chains ----------------------------------------------------------------

struct Wide {
  std::uint64_t low, high;
};
__host__ __device__ Wide wide_result(std::int64_t a, std::int64_t b, unsigned shift) {
  __int128 x = static_cast<__int128>(a) * b;
  x += a;
  x -= static_cast<__int128>(b) << (shift % 64);
  x ^= x >> (shift % 128);
  return {static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(x >> 64)};
}
__global__ void wide(const std::int64_t* in, Wide* out, int count) {
  const int i = threadIdx.x;
  out[i] = wide_result(in[i], in[(i * 5 + 1) % count], i);
}

void check_wide() {
  std::int64_t in[kThreads];
  std::uint64_t state = 88172645463325252u;
  for (std::int64_t& word : in) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    word = static_cast<std::int64_t>(state);
  }
  in[1] = -1;
  in[2] = INT64_MIN;
  Wide out[kThreads] = {};
  Wide* device_out = managed_copy(out, kThreads);
  wide<<<1, kThreads>>>(managed_copy(in, kThreads), device_out, kThreads);
  cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kThreads; ++i) {
    const Wide wanted = wide_result(in[i], in[(i * 5 + 1) % kThreads], i);
    expect(out[i].low == wanted.low && out[i].high == wanted.high, "128-bit integer", i);
  }
  finish("128-bit integers");
}

// --- 16-bit floats: the headers' host versions are the reference ------------------------------------

constexpr int kHalfResults = 9;

template <class H>
__host__ __device__ void half_results(H a, H b, H* o) {
  o[0] = __hadd(a, b);
  o[1] = __hsub(a, b);
  o[2] = __hmul(a, b);
  o[3] = __hneg(a);
  o[4] = __habs(a);
  o[5] = __hmax(a, b);
  o[6] = __hmin(a, b);
  o[7] = __hlt(a, b) ? a : b;
  o[8] = __hequ(a, b) ? a : b;
}
template <class H>
__global__ void halves(const float* in, H* out, int count) {
  const int i = threadIdx.x;
  half_results<H>(H(in[i]), H(in[(i * 3 + 1) % count]), out + i * kHalfResults);
}

std::uint16_t bits_of(__half x) { return __half_as_ushort(x); }
std::uint16_t bits_of(__nv_bfloat16 x) { return __bfloat16_as_ushort(x); }

template <class H>
void check_halves(const char* name) {
  float in[kThreads];
  for (int i = 0; i < kThreads; ++i) in[i] = (i - 31) * 0.37f * (i % 3 == 0 ? 300.f : 1e-3f);
  in[4] = 0.f;
  in[5] = -0.f;
  in[6] = 65504.f;
  in[7] = 6e-8f;
  static H out[kThreads * kHalfResults];
  H* device_out = managed_copy(out, kThreads * kHalfResults);
  halves<H><<<1, kThreads>>>(managed_copy(in, kThreads), device_out, kThreads);
  cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kThreads; ++i) {
    H wanted[kHalfResults];
    half_results<H>(H(in[i]), H(in[(i * 3 + 1) % kThreads]), wanted);
    for (int k = 0; k < kHalfResults; ++k)
      expect(bits_of(out[i * kHalfResults + k]) == bits_of(wanted[k]), name, i * 100 + k);
  }
  finish(name);
}

__global__ void half_functions(float* out, float x, float y) {
  const __half2 a = __floats2half2_rn(x, y), b = __floats2half2_rn(2.f, -0.5f);
  const auto put = [&](int i, __half2 v) {
    out[2 * i] = __low2float(v);
    out[2 * i + 1] = __high2float(v);
  };
  put(0, __hfma2(a, b, a));
  put(1, h2sqrt(__habs2(a)));
  put(2, __hlt2(a, b));
  put(3, __hmul2_sat(a, b));
  put(4, h2exp2(b));
  put(5, __float22half2_rn(__half22float2(a)));
  out[12] = __bfloat162float(__float2bfloat16_rz(1.00999f));
  out[13] = static_cast<float>(__half2int_rd(__float2half(-2.5f)));
}

void check_half_functions() {
  float out[14] = {};
  float* device_out = managed_copy(out, 14);
  half_functions<<<1, 1>>>(device_out, 2.25f, -9.f);
  cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
  const float wanted[14] = {6.75f, -4.5f, 1.5f,        3.f,   0.f,  1.f,        1.f,
                            1.f,   4.f,   0.70703125f, 2.25f, -9.f, 1.0078125f, -3.f};
  for (int i = 0; i < 14; ++i) expect(out[i] == wanted[i], "half function", i);
  finish("half functions");
}

// --- rounding, approximations, atomics ----------------------------------------------------------------

__global__ void rounded(double* out, float a, float b, double c) {
  out[0] = __fadd_rd(a, b);
  out[1] = __fadd_ru(a, b);
  out[2] = __fmul_rz(a, b);
  out[3] = __fdiv_ru(1.f, 3.f);
  out[4] = __fsqrt_rd(2.f);
  out[5] = __fmaf_rz(a, b, -1e-9f);
  out[6] = __dadd_rd(c, 1e-20);
  out[7] = __dadd_ru(c, 1e-20);
  out[8] = __double2float_ru(0.1);
  out[9] = __saturatef(a - b);
  out[10] = __float2int_ru(2.1f) + __double2ll_rd(-2.1);
  out[11] = __fdividef(a, b);
  out[12] = __expf(1.f);
  out[13] = __powf(2.f, 0.5f);
}

void check_rounded() {
  double out[14] = {};
  double* device_out = managed_copy(out, 14);
  rounded<<<1, 1>>>(device_out, 1.f, 1e-9f, 1.);
  cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
  const double next = 1 + 1.0 / (1 << 23);
  const double wanted[] = {1, next, 1e-9f, 0x1.555556p-2, 0x1.6a09e6p+0, 0, 1, 1 + 0x1p-52, 0x1.99999ap-4,
                           1, 0};
  for (int i = 0; i < 11; ++i) expect(out[i] == wanted[i], "rounded result", i);
  const double close[] = {1e9, 2.718281828, 1.414213562};
  for (int i = 0; i < 3; ++i)
    expect(out[11 + i] > close[i] * (1 - 1e-6) && out[11 + i] < close[i] * (1 + 1e-6), "approximation", i);
  finish("rounded");
}

__global__ void atomics(double* d, __half2* h, unsigned short* s, unsigned* u) {
  atomicAdd(d, 0.5);
  atomicAdd_block(u, 1u);
  atomicInc(u + 1, 9);
  atomicMax_system(u + 2, threadIdx.x);
  atomicAdd(h, __floats2half2_rn(1.f, 0.5f));
  atomicCAS(s, static_cast<unsigned short>(threadIdx.x), static_cast<unsigned short>(threadIdx.x + 1));
  atomicExch(reinterpret_cast<float*>(u + 3), 2.5f);
}

void check_atomics() {
  double d = 0;
  unsigned u[4] = {};
  unsigned short s[2] = {0, 77};
  __half2 h = __floats2half2_rn(0.f, 0.f);
  double* device_d = managed_copy(&d, 1);
  unsigned* device_u = managed_copy(u, 4);
  unsigned short* device_s = managed_copy(s, 2);
  __half2* device_h = managed_copy(&h, 1);
  atomics<<<1, kThreads>>>(device_d, device_h, device_s, device_u);
  cudaMemcpy(&d, device_d, sizeof d, cudaMemcpyDeviceToHost);
  cudaMemcpy(u, device_u, sizeof u, cudaMemcpyDeviceToHost);
  cudaMemcpy(s, device_s, sizeof s, cudaMemcpyDeviceToHost);
  cudaMemcpy(&h, device_h, sizeof h, cudaMemcpyDeviceToHost);
  expect(d == 32, "double sum", 0);
  expect(u[0] == 64 && u[1] == 4 && u[2] == 63 && u[3] == 0x40200000, "word", 0);
  expect(s[0] == 64 && s[1] == 77, "half word", 0);
  expect(__low2float(h) == 64 && __high2float(h) == 32, "pair of halves", 0);
  finish("atomics");
}

// --- asynchronous copies ------------ ---------------------------------------------------------------------

__global__ void primitives(const float* in, float* out) {
  __shared__ alignas(16) float tile[2][kThreads];
  __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&tile[1][threadIdx.x], &in[threadIdx.x], 4, 4);  // all zero-filled
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x ^ 1] + tile[1][threadIdx.x ^ 1];
}

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void barriers(const float* in, float* out) {
  __shared__ Barrier barrier;
  __shared__ float tile[kThreads];
  if (threadIdx.x == 0) init(&barrier, kThreads);
  __syncthreads();
  cuda::memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(float), barrier);
  barrier.arrive_and_wait();
  float sum = tile[threadIdx.x ^ 33];
  for (int round = 0; round < 3; ++round) {
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    tile[threadIdx.x] = sum;
    barrier.arrive_and_wait();
    sum += tile[threadIdx.x ^ 40];
  }
  out[threadIdx.x] = sum;
}

void check_copies() {
  float in[kThreads], out[kThreads] = {};
  for (int i = 0; i < kThreads; ++i) in[i] = static_cast<float>(i);
  float* device_in = managed_copy(in, kThreads);
  float* device_out = managed_copy(out, kThreads);
  primitives<<<1, kThreads>>>(device_in, device_out);
  cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kThreads; ++i) expect(out[i] == in[i ^ 1], "copied element", i);
  barriers<<<1, kThreads>>>(device_in, device_out);
  cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kThreads; ++i)
    expect(out[i] == 4 * (in[i ^ 33] + in[i ^ 33 ^ 40]), "element after a barrier", i);
  finish("copies");
}

}  // namespace

extern "C" int run(const char*) {
  check_words();
  check_wide();
  check_halves<__half>("f16");
  check_halves<__nv_bfloat16>("bf16");
  check_half_functions();
  check_rounded();
  check_atomics();
  check_copies();
  return 0;
}
