// Step 1: the ladder of lab 02, with both tiles transposed on the way.
//
// k is the contiguous direction of both matrices, but a thread needs neighbours along m and along n at the
// same time. The asynchronous copies of lab 02, step 3, write each float to its place in the transposed
// tile, for N as well as for M: cp.async of 4 bytes, 8 neighbours along k from each of 4 columns, which are
// whole sectors. Everything else is as in lab 02, step 4: 8 × 16 sums per thread, loads of 16 bytes from
// shared memory, three stages.
// Counters: as there.

#include <cuda_pipeline.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

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
  static constexpr int kRowN = kBlockN + 4;
  static constexpr int kTileM = kDepth * kRowM, kTileN = kDepth * kRowN;  // floats
  static constexpr int kStageFloats = kTileM + kTileN;
  static constexpr int kSharedBytes = kStages * kStageFloats * static_cast<int>(sizeof(float));
  static_assert(kLanesM * kLanesN == kWarp);
};

// What one thread copies of each slice, float by float. Both tiles are transposed on the way: neighbouring
// lanes take 8 neighbours along k of 4 rows of M or columns of N. Rows and columns that do not exist are
// replaced by the last ones that do: they contribute only to elements that are not stored.
template <class S>
struct Copies {
  static constexpr int kAlong = 8, kStep = S::kThreads / kAlong;
  static constexpr int kRows = S::kBlockM / kStep, kColumns = S::kBlockN / kStep;
  static_assert(kRows * kStep == S::kBlockM && kColumns * kStep == S::kBlockN && S::kDepth % kAlong == 0);
  static constexpr int kCopiesM = kRows * S::kDepth / kAlong;
  static constexpr int kCopies = kCopiesM + kColumns * S::kDepth / kAlong;

  const float *M, *N;  // the next slice
  int offsets_M[kRows], offsets_N[kColumns];
  int to_M, to_N;  // in a stage
  int left;        // slices that are not copied yet

  __device__ Copies(const float* M_, const float* N_, int first_row, int first_col, int m, int k, int n)
      : left(lab::ceil_div(k, S::kDepth)) {
    const int along = threadIdx.x % kAlong, across = threadIdx.x / kAlong;
#pragma unroll
    for (int i = 0; i < kRows; ++i) offsets_M[i] = min(first_row + across + i * kStep, m - 1) * k;
#pragma unroll
    for (int i = 0; i < kColumns; ++i) offsets_N[i] = min(first_col + across + i * kStep, n - 1) * k;
    to_M = along * S::kRowM + across;
    to_N = S::kTileM + along * S::kRowN + across;
    M = M_ + along;
    N = N_ + along;
  }

  // Starts copies first to last - 1 of the next slice, of which `depth` columns and rows exist; the others
  // become 0. If kWhole, all exist.
  template <bool kWhole>
  __device__ void start(float* stage, int first, int last, int depth) const {
#pragma unroll
    for (int copy = first; copy < last; ++copy) {
      const bool is_M = copy < kCopiesM;
      const int number = is_M ? copy : copy - kCopiesM, count = is_M ? kRows : kColumns;
      const int i = number % count, along = number / count * kAlong;
      const bool exists = kWhole || along + static_cast<int>(threadIdx.x % kAlong) < depth;
      float* to = is_M ? stage + to_M + along * S::kRowM : stage + to_N + along * S::kRowN;
      const float* from = is_M ? M + offsets_M[i % kRows] : N + offsets_N[i];
      __pipeline_memcpy_async(to + i * kStep, from + along, sizeof(float), exists ? 0 : sizeof(float));
    }
  }

  // The copies of a slice with `depth` columns and rows have been started.
  __device__ void finish(int depth) {
    __pipeline_commit();  // also without copies, so that waiting for a number of groups means a slice
    M += depth;
    N += depth;
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
    load_pieces<S::kThreadN, 4 * S::kLanesN>(b, of_N + depth * S::kRowN);
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

// Rows of tiles are taken in groups of kGroup: consecutive blocks go down a group before they go right.
__device__ void tile_of_block(int rows, int cols, int& row, int& col) {
  constexpr int kGroup = 8;
  const int id = blockIdx.x;
  const int first_row = id / (kGroup * cols) * kGroup;
  const int group_rows = min(kGroup, rows - first_row);
  const int in_group = id - first_row * cols;
  row = first_row + in_group % group_rows;
  col = in_group / group_rows;
}

template <class S, int kVector>
__global__ void __launch_bounds__(S::kThreads, 1)
    product_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float4 aligned_stages[];
  float* stages = reinterpret_cast<float*>(aligned_stages);
  int tile_row, tile_col;
  tile_of_block(lab::ceil_div(m, S::kBlockM), lab::ceil_div(n, S::kBlockN), tile_row, tile_col);
  const int first_row = tile_row * S::kBlockM;
  const int first_col = tile_col * S::kBlockN;

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
    for (int j = 0; j < S::kThreadN; j += 4) {
      const int P_col = first_col + col + j * S::kLanesN;
      if (P_row >= m || P_col >= n) continue;
      float* to = P + P_row * n + P_col;
      if (kVector == 4) {
        *reinterpret_cast<float4*>(to) = {sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]};
      } else {
#pragma unroll
        for (int c = 0; c < 4; ++c)
          if (P_col + c < n) to[c] = sums[i][j + c];
      }
    }
  }
}

template <class S, int kVector>
void launch(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const auto kernel = product_kernel<S, kVector>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::kSharedBytes));
  const int blocks = lab::ceil_div(m, S::kBlockM) * lab::ceil_div(n, S::kBlockN);
  kernel<<<blocks, S::kThreads, S::kSharedBytes>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

template <class S>
void launch_for(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  if (n % 4 == 0)  // every row of N and P begins at a multiple of 16 bytes
    launch<S, 4>(d_M, d_N, d_P, m, k, n);
  else
    launch<S, 1>(d_M, d_N, d_P, m, k, n);
}

// Tiles of 128 × 256 if they keep at least three quarters of the multiprocessors busy, otherwise tiles of 128
// × 64.
using LargeTiles = Shape<128, 256, 64, 64, 16, 16, 3>;
using SmallTiles = Shape<128, 64, 32, 32, 4, 32, 3>;

bool are_large_tiles_enough(int m, int n) {
  int device = 0;
  int sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  const int tiles = lab::ceil_div(m, LargeTiles::kBlockM) * lab::ceil_div(n, LargeTiles::kBlockN);
  return 4 * tiles >= 3 * sms;
}

}  // namespace

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  if (are_large_tiles_enough(m, n))
    launch_for<LargeTiles>(d_M, d_N, d_P, m, k, n);
  else
    launch_for<SmallTiles>(d_M, d_N, d_P, m, k, n);
}
