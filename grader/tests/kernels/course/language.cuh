// Language features other than arithmetic: printing, clocks, traps, calls, recursion, local arrays,
// switches, warp votes, grid barriers.
#pragma once

#include "reductions.cuh"

namespace course {

constexpr int kVoteWords = 96;  ///< of output per warp

__global__ void hello(int x) { printf("hello %d from %d,%d %f\n", x, blockIdx.x, threadIdx.x, 1.5F * x); }

/// Times differ between engines; the output is whether they never decrease.
__global__ void clocks(int* forward, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) __trap();
  const long long start = clock64();
  const clock_t start_low = clock();
  forward[i] = clock64() - start >= 0 && clock() - start_low >= 0;
}

/// Each warp has kVoteWords words of `out`; in the end each of the first 32 contains the number of lanes
/// that voted yes.
__global__ void warp_vote(const int* in, int* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int* mine = out + i / 32 * kVoteWords;
  const int yes = in[i] > 3;
  const unsigned ballot = __ballot_sync(~0U, yes);
  const int any = __any_sync(~0U, yes), all = __all_sync(~0U, yes);
  const unsigned active = __activemask();
  if (yes) mine[__popc(ballot & ((1U << lane) - 1)) + any + all + __ffs(active) + __clz(ballot)] = in[i];
  __syncwarp();
  mine[64 + lane] = __match_any_sync(~0U, in[i]);
  mine[lane] = __reduce_add_sync(~0U, yes);
}

__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ float logistic(float x, int steps) {
  for (int i = 0; i < steps; ++i) x = 3.7F * x * (1 - x);
  return x;
}
__global__ void calls(int* out, float* f, int n) {
  out[threadIdx.x] = fib(n + threadIdx.x % 4);
  f[threadIdx.x] = logistic(f[threadIdx.x], n);
}

__global__ void localarr(const int* in, int* out, int n) {
  int a[64];
  for (int i = 0; i < 64; ++i) a[i] = i;
  for (int i = 0; i < n; ++i) a[i & 63] = i * in[(i + threadIdx.x) % n];
  int s = 0;
  for (int i = 0; i < n; ++i) s += a[(i * 7) & 63];
  switch (s & 7) {
    case 0:
      s += 1;
      break;
    case 1:
      s *= 5;
      break;
    case 2:
      s -= 8;
      break;
    case 3:
      s ^= 9;
      break;
    case 4:
      s = 12;
      break;
    case 5:
      s /= 13;
      break;
    default:
      s = -s;
  }
  out[threadIdx.x] = s;
}

#ifdef COURSE_HAS_COOPERATIVE_GROUPS
__global__ void cg_grid(int* a, int* out) {
  const auto grid = cg::this_grid();
  a[grid.thread_rank()] = 3 * static_cast<int>(grid.thread_rank()) + 1;
  grid.sync();
  out[grid.thread_rank()] = a[grid.thread_rank()] + a[(grid.thread_rank() + 1) % grid.size()];
}

inline void run_cg_grid(Results& results) {
  const Array<int> a(4 * 64), out(4 * 64);
  int *pa = a, *pout = out;
  void* arguments[] = {&pa, &pout};
  const cudaError_t error = cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(cg_grid), dim3(4),
                                                        dim3(64), arguments, 0, nullptr);
  cudaGetLastError();
  results.launched("cg_grid", error);
  results.add("out", out);
}
#endif

inline void run_language(Results& results) {
  Random random(6);
  hello<<<1, 4>>>(7);
  results.launched("hello");

  const Array<int> forward(64);
  clocks<<<2, 32>>>(forward, 64);
  results.launched("clocks");
  results.add("forward", forward);

  const Array<int> votes(random.integers(64, 8)), counted(2 * kVoteWords);
  warp_vote<<<1, 64>>>(votes, counted);
  results.launched("warp_vote");
  results.add("out", counted);

  const Array<int> numbers(33);
  const Array<float> orbit(random.reals(33, 0, 1));
  calls<<<1, 33>>>(numbers, orbit, 10);
  results.launched("calls");
  results.add("out", numbers);
  results.add("f", orbit);

  const Array<int> in(random.integers(100, 1000)), sums(40);
  localarr<<<1, 40>>>(in, sums, 100);
  results.launched("localarr");
  results.add("out", sums);

#ifdef COURSE_HAS_COOPERATIVE_GROUPS
  run_cg_grid(results);
#endif
}

}  // namespace course
