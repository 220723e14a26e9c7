// Step 2: a register tile of 8 × 16, and asynchronous copies ahead of the arithmetic.
//
// A scheduler issues one instruction per clock, and minima go to a unit that accepts one every second
// clock: an addition and a minimum fill both, and every other instruction costs time. An 8 × 16 tile needs
// 6 loads from shared memory per 128 candidates, and cp.async brings the next slices without registers, as
// in lab 02, steps 3 and 4. No padding is needed: a candidate that occurs twice does not change a minimum.
// The loop is unrolled for 8 values of k only: the 136 KB of code for 32 values do not fit the instruction
// caches.
// Counters: smsp__average_warps_issue_stalled_no_instruction (the code's size) and _math_pipe_throttle (the
// minima).

#include <cmath>

#include <cuda_pipeline.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

namespace {

constexpr int kWarp = 32;

// A block computes kBlockI × kBlockJ elements of r, a warp kWarpI × kWarpJ and a thread 8 × kThreadJ of them.
// kStages slices of both operands, each kDepth deep along k, are in shared memory.
template <int kBlockI_, int kBlockJ_, int kWarpI_, int kWarpJ_, int kThreadJ_, int kDepth_, int kStages_>
struct Shape {
  static constexpr int kBlockI = kBlockI_, kBlockJ = kBlockJ_, kWarpI = kWarpI_, kWarpJ = kWarpJ_;
  static constexpr int kThreadI = 8, kThreadJ = kThreadJ_, kDepth = kDepth_, kStages = kStages_;
  static constexpr int kLanesJ = kWarpJ / kThreadJ, kLanesI = kWarpI / kThreadI;
  static constexpr int kWarpsJ = kBlockJ / kWarpJ;
  static constexpr int kThreads = kBlockI / kWarpI * kWarpsJ * kWarp;
  static constexpr int kRowI = kBlockI + 4;  // the transposing copies of a warp then go to 32 banks
  static constexpr int kTileI = kDepth * kRowI, kTileJ = kDepth * kBlockJ;  // floats
  static constexpr int kStageFloats = kTileI + kTileJ;
  static constexpr int kSharedBytes = kStages * kStageFloats * static_cast<int>(sizeof(float));
  static_assert(kLanesI * kLanesJ == kWarp);
};

// What one thread copies of each slice. d[i][k] is transposed on the way, float by float: neighbouring lanes
// take 8 neighbours along k of 4 rows. Of d[k][j], kVector floats are copied at a time. An index that does
// not exist is replaced by the last that does: for i and j the results are not stored, and a k that occurs
// twice does not change a minimum.
template <class S, int kVector>
struct Copies {
  static constexpr int kAlong = 8;
  static constexpr int kRowStepI = S::kThreads / kAlong, kRowsI = S::kBlockI / kRowStepI;
  static constexpr int kThreadsPerRowJ = S::kBlockJ / kVector;
  static constexpr int kRowStepJ = S::kThreads / kThreadsPerRowJ, kRowsJ = S::kDepth / kRowStepJ;
  static_assert(kRowsI * kRowStepI == S::kBlockI && kRowsJ * kRowStepJ == S::kDepth &&
                S::kDepth % kAlong == 0);

  static constexpr int kCopiesI = kRowsI * S::kDepth / kAlong, kCopies = kCopiesI + kRowsJ;

  const float *d_I, *d_J;  // the next slice
  int offsets_I[kRowsI];
  int to_I, to_J;  // in a stage
  int row_J, n;
  int left;  // slices that are not copied yet

  __device__ Copies(const float* d, int first_i, int first_j, int n_)
      : n(n_), left(lab::ceil_div(n_, S::kDepth)) {
    const int t = threadIdx.x;
    const int row_I = t / kAlong;
#pragma unroll
    for (int i = 0; i < kRowsI; ++i) offsets_I[i] = min(first_i + row_I + i * kRowStepI, n - 1) * n;
    to_I = t % kAlong * S::kRowI + row_I;
    d_I = d;
    row_J = t / kThreadsPerRowJ;
    const int col_J = t % kThreadsPerRowJ * kVector;
    to_J = S::kTileI + row_J * S::kBlockJ + col_J;
    d_J = d + min(first_j + col_J, n - kVector);
  }

  // Starts copies first to last - 1 of the next slice, of which `depth` values of k exist.
  template <bool kWhole>
  __device__ void start(float* stage, int first, int last, int depth) const {
#pragma unroll
    for (int copy = first; copy < last; ++copy) {
      if (copy < kCopiesI) {
        const int i = copy % kRowsI, along = copy / kRowsI * kAlong;
        const int k = along + threadIdx.x % kAlong;
        __pipeline_memcpy_async(stage + to_I + along * S::kRowI + i * kRowStepI,
                                d_I + offsets_I[i] + (kWhole ? k : min(k, depth - 1)), sizeof(float));
      } else {
        const int i = copy - kCopiesI;
        const int k = row_J + i * kRowStepJ;
        __pipeline_memcpy_async(stage + to_J + i * kRowStepJ * S::kBlockJ,
                                d_J + (kWhole ? k : min(k, depth - 1)) * n, kVector * sizeof(float));
      }
    }
  }

  // The copies of a slice with `depth` values of k have been started.
  __device__ void finish(int depth) {
    __pipeline_commit();  // also without copies, so that waiting for a number of groups means a slice
    d_I += depth;
    d_J += depth * n;
    --left;
  }

  // Fills the first stages. The slice that can be a partial one is the first, so that the loop needs no
  // guards.
  __device__ void start_first(float* stages) {
    const int depth = n - (left - 1) * S::kDepth;
    start<false>(stages, 0, kCopies, depth);
    finish(depth);
    for (int stage = 1; stage < S::kStages - 1; ++stage) {
      if (left > 0) start<true>(stages + stage * S::kStageFloats, 0, kCopies, S::kDepth);
      finish(S::kDepth);
    }
  }
};

template <int kCount, int kStep>
__device__ void load_pieces(float (&to)[kCount], const float* from) {
#pragma unroll
  for (int i = 0; i < kCount / 4; ++i) {
    const float4 piece = *reinterpret_cast<const float4*>(from + i * kStep);
    to[4 * i] = piece.x, to[4 * i + 1] = piece.y, to[4 * i + 2] = piece.z, to[4 * i + 3] = piece.w;
  }
}

// What a thread needs for one k.
template <class S>
struct Operands {
  float x[S::kThreadI], y[S::kThreadJ];
  __device__ void load(const float* of_I, const float* of_J, int depth) {
    load_pieces<S::kThreadI, 4 * S::kLanesI>(x, of_I + depth * S::kRowI);
    load_pieces<S::kThreadJ, 4 * S::kLanesJ>(y, of_J + depth * S::kBlockJ);
  }
};

// Takes the candidates of one slice, always with the next operands on their way. If kCopy, starts the copies
// of another slice in kGroups places: in one go they would fill the queue for memory instructions, and the
// warp, which executes in order, would wait.
template <bool kCopy, class S, int kVector>
__device__ void relax(float (&least)[S::kThreadI][S::kThreadJ], const float* of_I, const float* of_J,
                      const Copies<S, kVector>& copies, float* refilled) {
  constexpr int kGroups = 2;
  constexpr int kCopies = Copies<S, kVector>::kCopies;
  Operands<S> operands[2];
  operands[0].load(of_I, of_J, 0);
#pragma unroll
  for (int depth = 0; depth < S::kDepth; ++depth) {
    if (kCopy && depth % (S::kDepth / kGroups) == 0) {
      const int group = depth / (S::kDepth / kGroups);
      copies.template start<true>(refilled, group * kCopies / kGroups, (group + 1) * kCopies / kGroups,
                                  S::kDepth);
    }
    if (depth + 1 < S::kDepth) operands[(depth + 1) % 2].load(of_I, of_J, depth + 1);
    const auto& [x, y] = operands[depth % 2];
#pragma unroll
    for (int j = 0; j < S::kThreadJ; ++j)
#pragma unroll
      for (int step = 0; step < S::kThreadI; ++step) {
        const int i = j % 2 == 0 ? step : S::kThreadI - 1 - step;
        least[i][j] = fminf(least[i][j], x[i] + y[j]);
      }
  }
}

template <class S, int kVector>
__global__ void __launch_bounds__(S::kThreads, 1) step_kernel(float* r, const float* d, int n) {
  extern __shared__ float4 aligned_stages[];
  float* stages = reinterpret_cast<float*>(aligned_stages);
  const int first_i = blockIdx.y * S::kBlockI;
  const int first_j = blockIdx.x * S::kBlockJ;
  const int warp = threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  const int row = warp / S::kWarpsJ * S::kWarpI + lane / S::kLanesJ * 4;  // the thread's first, in the tile
  const int col = warp % S::kWarpsJ * S::kWarpJ + lane % S::kLanesJ * 4;

  Copies<S, kVector> copies(d, first_i, first_j, n);
  copies.start_first(stages);

  float least[S::kThreadI][S::kThreadJ];
#pragma unroll
  for (int i = 0; i < S::kThreadI; ++i)
#pragma unroll
    for (int j = 0; j < S::kThreadJ; ++j) least[i][j] = HUGE_VALF;

  int current = 0, refilled = S::kStages - 1;
  const auto take_slice = [&]<bool kCopy>() {
    __pipeline_wait_prior(S::kStages - 2);  // this thread's copies of the current slice are complete,
    __syncthreads();                        // and everyone's; no thread reads the stage that is refilled now
    const float* stage = stages + current * S::kStageFloats;
    relax<kCopy>(least, stage + row, stage + S::kTileI + col, copies, stages + refilled * S::kStageFloats);
    copies.finish(S::kDepth);
    refilled = current;
    current = current + 1 == S::kStages ? 0 : current + 1;
  };
  const int slices = lab::ceil_div(n, S::kDepth);
  int slice = 0;
  for (; slice < slices - (S::kStages - 1); ++slice) take_slice.template operator()<true>();
  for (; slice < slices; ++slice) take_slice.template operator()<false>();

#pragma unroll
  for (int i = 0; i < S::kThreadI; ++i) {
    const int r_row = first_i + row + i / 4 * 4 * S::kLanesI + i % 4;
#pragma unroll
    for (int j = 0; j < S::kThreadJ; ++j) {
      const int r_col = first_j + col + j / 4 * 4 * S::kLanesJ + j % 4;
      if (r_row < n && r_col < n) r[r_row * n + r_col] = least[i][j];
    }
  }
}

template <class S, int kVector>
void launch(float* d_r, const float* d_d, int n) {
  const auto kernel = step_kernel<S, kVector>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::kSharedBytes));
  const dim3 grid(lab::ceil_div(n, S::kBlockJ), lab::ceil_div(n, S::kBlockI));
  kernel<<<grid, S::kThreads, S::kSharedBytes>>>(d_r, d_d, n);
  CUDA_CHECK(cudaGetLastError());
}

void launch_step(float* d_r, const float* d_d, int n) {
  using Tiles = Shape<128, 256, 64, 64, 16, 8, 4>;
  if (n % 4 == 0)  // every row begins at a multiple of 16 bytes
    launch<Tiles, 4>(d_r, d_d, n);
  else
    launch<Tiles, 1>(d_r, d_d, n);
}

}  // namespace

// The same as step() for matrices in device memory.
extern "C" void step_on_device(float* d_r, const float* d_d, int n) { launch_step(d_r, d_d, n); }

void step(float* r, const float* d, int n) {
  const size_t bytes = static_cast<size_t>(n) * n * sizeof(float);
  float *d_d = nullptr, *d_r = nullptr;
  CUDA_CHECK(cudaMalloc(&d_d, bytes));
  CUDA_CHECK(cudaMalloc(&d_r, bytes));
  CUDA_CHECK(cudaMemcpy(d_d, d, bytes, cudaMemcpyHostToDevice));
  launch_step(d_r, d_d, n);
  CUDA_CHECK(cudaMemcpy(r, d_r, bytes, cudaMemcpyDeviceToHost));  // waits for the kernel
  CUDA_CHECK(cudaFree(d_d));
  CUDA_CHECK(cudaFree(d_r));
}
