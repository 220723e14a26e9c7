// Device functions in groups. Each group prints one line, which must not depend on the compiler that built
// the program.

#include <cassert>
#include <cmath>
#include <cstdio>
#include <memory>  // libstdc++ spells an attribute __noinline__ in it

#include <cuda_runtime.h>

namespace {

constexpr int kLanes = 32;

__device__ __noinline__ int not_inlined(int n) { return n * 3 + 1; }

__global__ void integers(int* out, unsigned bits) {
  out[0] = __popc(bits);
  out[1] = __clz(bits);
  out[2] = __ffs(bits);
  out[3] = static_cast<int>(__brev(bits));
  out[4] = __popcll(0xff00ff00ff00ff00ULL + bits);
  out[5] = __mulhi(1 << 30, static_cast<int>(bits));
  out[6] = static_cast<int>(__umulhi(0xffffffffu, bits));
  out[7] = min(static_cast<int>(bits), -5) + max(3u, bits);
  out[8] = __mul24(static_cast<int>(bits), 3);
  out[9] = static_cast<int>(__byte_perm(bits, 0x44332211, 0x5410));
  out[10] = abs(-static_cast<int>(bits));
  out[11] = __ffsll(0x100000000LL) + __clzll(1);
  out[12] = not_inlined(out[0]);
}

__global__ void exact_floats(float* out, float x, double d) {
  out[0] = sqrtf(x);
  out[1] = fmaf(x, 3.0f, 1.0f);
  out[2] = fabsf(-x);
  out[3] = floorf(x) + ceilf(x) + truncf(-x) + rintf(x);
  out[4] = fminf(x, 2.0f) + fmaxf(x, 2.0f);
  out[5] = std::sqrt(x) + std::fabs(-x) + std::floor(x);
  out[6] = static_cast<float>(sqrt(d) + fma(d, 2.0, 1.0));
  out[7] = x / 3.0f;
  out[8] = __int_as_float(__float_as_int(x) + 1);
  out[9] = static_cast<float>(__float2int_rn(x) + __float2int_rz(-x) + __float2int_ru(x));
  out[10] = isnan(x - x) ? 1.0f : 0.0f;
  out[11] = copysignf(x, -1.0f) + roundf(x);
  out[12] = __fadd_rn(x, 1e-8f) + __fmul_rz(x, 3.0f) + __frcp_rn(x);
  out[13] = min(x, 0.5f) + max(x, 3.25f) + static_cast<float>(min(d, 0.25) + max(d, x));
}

__global__ void other_floats(float* out, float x) {
  out[0] = expf(x);
  out[1] = logf(x);
  out[2] = sinf(x);
  out[3] = cosf(x);
  out[4] = powf(x, 1.5f);
  out[5] = tanhf(x);
  out[6] = rsqrtf(x);
  out[7] = fmodf(x, 0.7f);
  out[8] = __expf(x);
  out[9] = __sinf(x);
  out[10] = static_cast<float>(exp(static_cast<double>(x)));
  out[11] = std::exp(x) + std::pow(x, 2.0f);
}

__global__ void atomics(int* i, unsigned* u, float* f, unsigned long long* l) {
  const int t = threadIdx.x;
  atomicAdd(&i[0], t);
  atomicSub(&i[1], 1);
  atomicMin(&i[2], 5 - t);
  atomicMax(&i[3], t);
  atomicOr(&i[4], 1 << t);
  atomicXor(&i[5], t);
  if (t == 0) atomicExch(&i[6], 77);
  atomicCAS(&i[7], 0, 1);
  atomicInc(&u[0], 9);
  atomicDec(&u[1], 4);
  atomicAdd(&f[0], 0.5f);
  atomicAdd(&l[0], 1ULL << 33);
}

__global__ void warps(int* out) {
  const int lane = threadIdx.x;
  const unsigned all = 0xffffffffu;
  int sum = lane;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(all, sum, step);
  const int neighbour = __shfl_xor_sync(all, lane, 1);
  const int first = __shfl_sync(all, lane + 100, 7);
  const float up = __shfl_up_sync(all, static_cast<float>(lane), 2);
  const unsigned odd = __ballot_sync(all, lane & 1);
  const int any = __any_sync(all, lane == 3), every = __all_sync(all, lane < 32);
  const unsigned same = __match_any_sync(all, lane / 8);
  const int total = __reduce_add_sync(all, lane);
  __syncwarp();
  if (lane == 9) {
    const int values[] = {neighbour,
                          first,
                          static_cast<int>(up),
                          static_cast<int>(odd),
                          any,
                          every,
                          static_cast<int>(same),
                          total,
                          static_cast<int>(__activemask())};
    for (int v : values) *out++ = v;
  }
  if (lane == 0) out[9] = sum;
}

/// A scalar whose address is never taken: compilers must not move its loads across barriers.
__global__ void barriers(int* out) {
  __shared__ int counter;
  __shared__ int round;
  int sum = 0;
  for (int i = 1; i <= 4; ++i) {
    if (threadIdx.x == 0) round = i * i;
    __syncthreads();
    sum += round;
    __syncthreads();
  }
  if (threadIdx.x == 63) out[2] = sum;
  if (threadIdx.x == 0) counter = 0;
  __syncthreads();
  atomicAdd(&counter, 1);
  __threadfence_block();
  __syncthreads();
  __threadfence();
  if (threadIdx.x == 63) {
    out[0] = counter;
    out[1] = warpSize + blockDim.x + gridDim.x;
  }
}

__global__ void vectors(float4* values, const int2* pairs, int* out) {
  float4 v = values[threadIdx.x];
  const int2 p = __ldg(&pairs[threadIdx.x]);
  values[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
  out[threadIdx.x] = p.x * 10 + p.y;
  assert(p.y == 1);
}

template <class T>
T* on_device(int count) {
  T* memory = nullptr;
  cudaMalloc(&memory, count * sizeof(T));
  cudaMemset(memory, 0, count * sizeof(T));
  return memory;
}

template <class T>
void show(const char* name, const char* format, const T* d_values, int count) {
  T values[64];
  const cudaError_t error = cudaMemcpy(values, d_values, count * sizeof(T), cudaMemcpyDeviceToHost);
  std::printf("%s:", name);
  if (error != cudaSuccess) std::printf(" %s", cudaGetErrorName(error));
  for (int i = 0; i < count; ++i) std::printf(format, values[i]);
  std::printf("\n");
}

void show_atomics() {
  int* i = on_device<int>(8);
  unsigned* u = on_device<unsigned>(2);
  float* f = on_device<float>(1);
  unsigned long long* l = on_device<unsigned long long>(1);
  atomics<<<1, kLanes>>>(i, u, f, l);
  show("atomics", " %d", i, 8);
  show("unsigned atomics", " %u", u, 2);
  show("float atomics", " %g", f, 1);
  show("long atomics", " %llu", l, 1);
}

void show_vectors() {
  const float4 h_values[2] = {make_float4(1, 2, 3, 4), make_float4(5, 6, 7, 8)};
  const int2 h_pairs[2] = {make_int2(4, 1), make_int2(7, 1)};
  float4* values = on_device<float4>(2);
  int2* pairs = on_device<int2>(2);
  int* out = on_device<int>(2);
  cudaMemcpy(values, h_values, sizeof h_values, cudaMemcpyHostToDevice);
  cudaMemcpy(pairs, h_pairs, sizeof h_pairs, cudaMemcpyHostToDevice);
  vectors<<<1, 2>>>(values, pairs, out);
  show("vectors", " %g", &values[0].x, 8);
  show("pairs", " %d", out, 2);
}

}  // namespace

extern "C" int run(const char*) {
  const auto unused = std::make_unique<int>(0);
  int* ints = on_device<int>(16);
  float* floats = on_device<float>(16);
  integers<<<1, 1>>>(ints, 0x00f0a500u);
  show("integers", " %d", ints, 13);
  exact_floats<<<1, 1>>>(floats, 2.75f, 9.0);
  show("exact floats", " %.9g", floats, 14);
  other_floats<<<1, 1>>>(floats, 1.25f);
  show("other floats", " %.5g", floats, 12);
  show_atomics();
  warps<<<1, kLanes>>>(ints);
  show("warps", " %d", ints, 10);
  barriers<<<1, 64>>>(ints);
  show("barriers", " %d", ints, 3);
  show_vectors();
  return 0;
}
