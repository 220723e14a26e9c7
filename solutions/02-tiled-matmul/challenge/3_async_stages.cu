// Step 3: asynchronous copies, two slices ahead of the arithmetic.
//
// In step 2 all warps of a block wait for a slice from global memory, some hundred clocks, before 512 FFMA
// per thread. cp.async copies to shared memory without registers and without waiting: with three stages of
// shared memory the copies run two slices ahead, with one barrier per slice. The copies are spread over the
// slice: a warp executes in order, and would wait while the queue for memory instructions is full.
// Counters: smsp__average_warps_issue_stalled_long_scoreboard, _barrier and _lg_throttle.

#include <cuda_pipeline.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

namespace {

constexpr int kWarp = 32;

// A block computes kBlockM × kBlockN elements of P, a warp kWarpM × kWarpN and a thread 8 × kThreadN of them.
// kStages slices of both operands, each kDepth deep along k, are in shared memory.
template <int kBlockM_, int kBlockN_, int kWarpM_, int kWarpN_, int kThreadN_, int kDepth_, int kStages_>
struct Shape {
  static constexpr int kBlockM = kBlockM_, kBlockN = kBlockN_, kWarpM = kWarpM_, kWarpN = kWarpN_;
  static constexpr int kThreadM = 8, kThreadN = kThreadN_, kDepth = kDepth_, kStages = kStages_;
  static constexpr int kLanesN = kWarpN / kThreadN, kLanesM = kWarpM / kThreadM;
  static constexpr int kWarpsN = kBlockN / kWarpN;
  static constexpr int kThreads = kBlockM / kWarpM * kWarpsN * kWarp;
  static constexpr int kRowM = kBlockM + 4;  // the transposing copies of a warp then go to 32 banks
  static constexpr int kTileM = kDepth * kRowM, kTileN = kDepth * kBlockN;  // floats
  static constexpr int kStageFloats = kTileM + kTileN;
  static constexpr int kSharedBytes = kStages * kStageFloats * static_cast<int>(sizeof(float));
  static_assert(kLanesM * kLanesN == kWarp);
};

// What one thread copies of each slice. M's tile is transposed on the way, float by float: neighbouring lanes
// take 8 neighbours along k of 4 rows. Rows of M and columns of N that
// do not exist are replaced by the last ones that do: they contribute only to elements that are not stored.
template <class S>
struct Copies {
  static constexpr int kAlong = 8;
  static constexpr int kRowStepM = S::kThreads / kAlong, kRowsM = S::kBlockM / kRowStepM;
  static constexpr int kThreadsPerRowN = S::kBlockN;
  static constexpr int kRowStepN = S::kThreads / kThreadsPerRowN, kRowsN = S::kDepth / kRowStepN;
  static_assert(kRowsM * kRowStepM == S::kBlockM && kRowsN * kRowStepN == S::kDepth &&
                S::kDepth % kAlong == 0);

  static constexpr int kCopiesM = kRowsM * S::kDepth / kAlong, kCopies = kCopiesM + kRowsN;

  const float *M, *N;  // the next slice
  int offsets_M[kRowsM];
  int to_M, to_N;  // in a stage
  int row_N, n;
  int left;  // slices that are not copied yet

  __device__ Copies(const float* M_, const float* N_, int first_row, int first_col, int m, int k, int n_)
      : n(n_), left(lab::ceil_div(k, S::kDepth)) {
    const int t = threadIdx.x;
    const int row_M = t / kAlong, col_M = t % kAlong;
#pragma unroll
    for (int i = 0; i < kRowsM; ++i) offsets_M[i] = min(first_row + row_M + i * kRowStepM, m - 1) * k;
    to_M = col_M * S::kRowM + row_M;
    M = M_ + col_M;
    row_N = t / kThreadsPerRowN;
    const int col_N = t % kThreadsPerRowN;
    to_N = S::kTileM + row_N * S::kBlockN + col_N;
    N = N_ + row_N * n + min(first_col + col_N, n - 1);
  }

  // Starts copies first to last - 1 of the next slice, of which `depth` columns and rows exist; the others
  // become 0. If kWhole, all exist.
  template <bool kWhole>
  __device__ void start(float* stage, int first, int last, int depth) const {
#pragma unroll
    for (int copy = first; copy < last; ++copy) {
      if (copy < kCopiesM) {
        const int i = copy % kRowsM, along = copy / kRowsM * kAlong;
        const bool exists = kWhole || along + static_cast<int>(threadIdx.x % kAlong) < depth;
        __pipeline_memcpy_async(stage + to_M + along * S::kRowM + i * kRowStepM, M + offsets_M[i] + along,
                                sizeof(float), exists ? 0 : sizeof(float));
      } else {
        const int i = copy - kCopiesM;
        const bool exists = kWhole || row_N + i * kRowStepN < depth;
        __pipeline_memcpy_async(stage + to_N + i * kRowStepN * S::kBlockN, N + i * kRowStepN * n,
                                sizeof(float), exists ? 0 : sizeof(float));
      }
    }
  }

  // The copies of a slice with `depth` columns and rows have been started.
  __device__ void finish(int depth) {
    __pipeline_commit();  // also without copies, so that waiting for a number of groups means a slice
    M += depth;
    N += depth * n;
    --left;
  }

  // Fills the first stages. The slice that can be a partial one is the first, so that the loop needs no
  // guards.
  __device__ void start_first(float* stages, int k) {
    const int depth = k - (left - 1) * S::kDepth;
    start<false>(stages, 0, kCopies, depth);
    finish(depth);
    for (int stage = 1; stage < S::kStages - 1; ++stage) {
      if (left > 0) start<true>(stages + stage * S::kStageFloats, 0, kCopies, S::kDepth);
      finish(S::kDepth);
    }
  }
};

// kCount / 4 pieces of four neighbouring floats, kStep floats apart: neighbouring lanes read neighbouring
// pieces.
template <int kCount, int kStep>
__device__ void load_pieces(float (&to)[kCount], const float* from) {
#pragma unroll
  for (int i = 0; i < kCount / 4; ++i) {
    const float4 piece = *reinterpret_cast<const float4*>(from + i * kStep);
    to[4 * i] = piece.x, to[4 * i + 1] = piece.y, to[4 * i + 2] = piece.z, to[4 * i + 3] = piece.w;
  }
}

// What a thread needs of one row along k of both tiles.
template <class S>
struct Operands {
  float a[S::kThreadM], b[S::kThreadN];
  __device__ void load(const float* of_M, const float* of_N, int depth) {
    load_pieces<S::kThreadM, 4 * S::kLanesM>(a, of_M + depth * S::kRowM);
    load_pieces<S::kThreadN, 4 * S::kLanesN>(b, of_N + depth * S::kBlockN);
  }
};

// Adds the products of one slice, always with the next operands on their way. If kCopy, starts the copies of
// another slice in kGroups places: in one go they would fill the queue for memory instructions, and the warp,
// which executes in order, would wait. of_M points to the thread's first row, of_N to its first column.
template <bool kCopy, class S>
__device__ void multiply(float (&sums)[S::kThreadM][S::kThreadN], const float* of_M, const float* of_N,
                         const Copies<S>& copies, float* refilled) {
  constexpr int kGroups = 4;
  constexpr int kCopies = Copies<S>::kCopies;
  Operands<S> operands[2];
  operands[0].load(of_M, of_N, 0);
#pragma unroll
  for (int depth = 0; depth < S::kDepth; ++depth) {
    if (kCopy && depth % (S::kDepth / kGroups) == 0) {
      const int group = depth / (S::kDepth / kGroups);
      copies.template start<true>(refilled, group * kCopies / kGroups, (group + 1) * kCopies / kGroups,
                                  S::kDepth);
    }
    if (depth + 1 < S::kDepth) operands[(depth + 1) % 2].load(of_M, of_N, depth + 1);
    const auto& [a, b] = operands[depth % 2];
#pragma unroll
    for (int j = 0; j < S::kThreadN; ++j)
#pragma unroll
      for (int step = 0; step < S::kThreadM; ++step) {
        const int i = j % 2 == 0 ? step : S::kThreadM - 1 - step;
        sums[i][j] += a[i] * b[j];
      }
  }
}

template <class S>
__global__ void __launch_bounds__(S::kThreads, 2)
    product_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float4 aligned_stages[];
  float* stages = reinterpret_cast<float*>(aligned_stages);
  const int first_row = blockIdx.y * S::kBlockM;
  const int first_col = blockIdx.x * S::kBlockN;

  const int warp = threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  const int row = warp / S::kWarpsN * S::kWarpM + lane / S::kLanesN * 4;  // the thread's first, in the tile
  const int col = warp % S::kWarpsN * S::kWarpN + lane % S::kLanesN * 4;

  Copies<S> copies(M, N, first_row, first_col, m, k, n);
  copies.start_first(stages, k);

  float sums[S::kThreadM][S::kThreadN] = {};
  int current = 0, refilled = S::kStages - 1;
  const auto add_slice = [&]<bool kCopy>() {
    __pipeline_wait_prior(S::kStages - 2);  // this thread's copies of the current slice are complete,
    __syncthreads();                        // and everyone's; no thread reads the stage that is refilled now
    const float* stage = stages + current * S::kStageFloats;
    multiply<kCopy>(sums, stage + row, stage + S::kTileM + col, copies, stages + refilled * S::kStageFloats);
    copies.finish(S::kDepth);
    refilled = current;
    current = current + 1 == S::kStages ? 0 : current + 1;
  };
  const int slices = lab::ceil_div(k, S::kDepth);
  int slice = 0;
  for (; slice < slices - (S::kStages - 1); ++slice) add_slice.template operator()<true>();
  for (; slice < slices; ++slice) add_slice.template operator()<false>();

#pragma unroll
  for (int i = 0; i < S::kThreadM; ++i) {
    const int P_row = first_row + row + i / 4 * 4 * S::kLanesM + i % 4;
#pragma unroll
    for (int j = 0; j < S::kThreadN; ++j) {
      const int P_col = first_col + col + j / 4 * 4 * S::kLanesN + j % 4;
      if (P_row < m && P_col < n) P[P_row * n + P_col] = sums[i][j];
    }
  }
}

template <class S>
void launch(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const auto kernel = product_kernel<S>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::kSharedBytes));
  const dim3 grid(lab::ceil_div(n, S::kBlockN), lab::ceil_div(m, S::kBlockM));
  kernel<<<grid, S::kThreads, S::kSharedBytes>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  launch<Shape<128, 128, 32, 64, 8, 16, 3>>(d_M, d_N, d_P, m, k, n);
}
