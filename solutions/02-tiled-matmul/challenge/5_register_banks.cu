// Step 5: sums and elements of M in different banks of the register file, and a loop that fits in the caches.
//
// The register file has two banks, for even and odd registers, and each delivers one operand per clock. Of
// the three operands of an FFMA, the order of step 4 keeps one from the FFMA before (.reuse). The others, an
// element of M and a sum, must be in different banks. Registers of one load or store of 16 bytes are
// consecutive, so that M's rows are in even and odd registers in turn. The stores of step 4 do the same with
// columns of sums: half of the sums are in the bank of their element of M. Here four rows of sums, with
// neighbours exchanged, are stored in shared memory as 16 bytes, and go from there to P.
// The loop of step 4 has 36 KB of code. With slices half as deep, warps wait less for instructions. The first
// operands of a slice are loaded before the last products of the slice before.
// Counters: smsp__average_warps_issue_stalled_dispatch_stall, _no_instruction and _short_scoreboard.

#include <algorithm>

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
  static constexpr int kQuads = kThreadN * kThreads;  // of sums: see store_sums
  static constexpr int kSharedBytes = std::max(kStages * kStageFloats * static_cast<int>(sizeof(float)),
                                               kQuads* static_cast<int>(sizeof(float4)));
  static_assert(kLanesM * kLanesN == kWarp && kDepth % 2 == 0);
};

// What one thread copies of each slice. M's tile is transposed on the way, float by float: neighbouring lanes
// take 8 neighbours along k of 4 rows. Of N, kVector floats are copied at a time. Rows of M and columns of N
// that do not exist are replaced by the last ones that do: they contribute only to elements that are not
// stored.
template <class S, int kVector>
struct Copies {
  static constexpr int kAlong = 8;
  static constexpr int kRowStepM = S::kThreads / kAlong, kRowsM = S::kBlockM / kRowStepM;
  static constexpr int kThreadsPerRowN = S::kBlockN / kVector;
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
    const int col_N = t % kThreadsPerRowN * kVector;
    to_N = S::kTileM + row_N * S::kBlockN + col_N;
    N = N_ + row_N * n + min(first_col + col_N, n - kVector);
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
        constexpr size_t kBytes = kVector * sizeof(float);
        const int i = copy - kCopiesM;
        const bool exists = kWhole || row_N + i * kRowStepN < depth;
        __pipeline_memcpy_async(stage + to_N + i * kRowStepN * S::kBlockN, N + i * kRowStepN * n, kBytes,
                                exists ? 0 : kBytes);
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

  // Waits until the oldest slice that was not waited for is complete, for all threads. All threads have then
  // loaded their operands from the slice before, so that its stage can be refilled.
  static __device__ void wait() {
    __pipeline_wait_prior(S::kStages - 2);
    __syncthreads();
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

// A thread's first row and column in a tile. It has pieces of four neighbours in both directions.
template <class S>
struct Place {
  int row, col;
  __device__ Place() {
    const int warp = threadIdx.x / kWarp;
    const int lane = threadIdx.x % kWarp;
    row = warp / S::kWarpsN * S::kWarpM + lane / S::kLanesN * 4;
    col = warp % S::kWarpsN * S::kWarpN + lane % S::kLanesN * 4;
  }
};

// What a thread needs of one row along k of both tiles.
template <class S>
struct Operands {
  float a[S::kThreadM], b[S::kThreadN];
  __device__ void load(const float* stage, Place<S> place, int depth) {
    load_pieces<S::kThreadN, 4 * S::kLanesN>(b, stage + S::kTileM + place.col + depth * S::kBlockN);
    load_pieces<S::kThreadM, 4 * S::kLanesM>(a, stage + place.row + depth * S::kRowM);
  }
};

// Down a column of sums and up the next, so that each FFMA has one operand of the FFMA before.
template <class S>
__device__ void add_products(float (&sums)[S::kThreadM][S::kThreadN], const Operands<S>& operands) {
#pragma unroll
  for (int j = 0; j < S::kThreadN; ++j)
#pragma unroll
    for (int step = 0; step < S::kThreadM; ++step) {
      const int i = j % 2 == 0 ? step : S::kThreadM - 1 - step;
      sums[i][j] += operands.a[i] * operands.b[j];
    }
}

struct Corner {
  int row, col;  // of a tile's first element
};

// Rows of tiles are taken in groups of kGroup: consecutive blocks go down a group before they go right.
template <class S>
__device__ Corner corner_of(int tile, int m, int n) {
  constexpr int kGroup = 8;
  const int rows = lab::ceil_div(m, S::kBlockM), cols = lab::ceil_div(n, S::kBlockN);
  const int first_row = tile / (kGroup * cols) * kGroup;
  const int group_rows = min(kGroup, rows - first_row);
  const int in_group = tile - first_row * cols;
  return {(first_row + in_group % group_rows) * S::kBlockM, in_group / group_rows * S::kBlockN};
}

// A quad: the sums of four neighbouring rows in a column. The second row is first: its element of M has an
// odd register.
__device__ float4 make_quad(float row_0, float row_1, float row_2, float row_3) {
  return {row_1, row_0, row_3, row_2};
}

// Stores four neighbouring quads as four rows of P, with one instruction per row if kVector is 4.
template <int kVector>
__device__ void store_quads(const float4 (&quads)[4], float* P, int row, int col, int m, int n) {
  const float4 rows[4] = {{quads[0].y, quads[1].y, quads[2].y, quads[3].y},
                          {quads[0].x, quads[1].x, quads[2].x, quads[3].x},
                          {quads[0].w, quads[1].w, quads[2].w, quads[3].w},
                          {quads[0].z, quads[1].z, quads[2].z, quads[3].z}};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (row + i >= m || col >= n) continue;
    float* to = P + (row + i) * n + col;
    if constexpr (kVector == 4) {
      *reinterpret_cast<float4*>(to) = rows[i];
    } else {
      to[0] = rows[i].x;
      if (col + 1 < n) to[1] = rows[i].y;
      if (col + 2 < n) to[2] = rows[i].z;
      if (col + 3 < n) to[3] = rows[i].w;
    }
  }
}

// Stores the sums in P by way of shared memory. Each thread reads what it has written.
template <class S, int kVector>
__device__ void store_sums(const float (&sums)[S::kThreadM][S::kThreadN], float4* shared, float* P, int m,
                           int n, Corner corner) {
  const Place<S> place;
  float4* quads = shared + threadIdx.x;
#pragma unroll
  for (int i = 0; i < S::kThreadM; i += 4) {
    __syncthreads();  // all threads are done with the stages
#pragma unroll
    for (int j = 0; j < S::kThreadN; ++j)
      quads[j * S::kThreads] = make_quad(sums[i][j], sums[i + 1][j], sums[i + 2][j], sums[i + 3][j]);
    __syncthreads();  // otherwise the compiler would keep the sums in their registers
#pragma unroll
    for (int j = 0; j < S::kThreadN; j += 4) {
      const float4 four[4] = {quads[j * S::kThreads], quads[(j + 1) * S::kThreads],
                              quads[(j + 2) * S::kThreads], quads[(j + 3) * S::kThreads]};
      store_quads<kVector>(four, P, corner.row + place.row + i * S::kLanesM,
                           corner.col + place.col + j * S::kLanesN, m, n);
    }
  }
}

template <class S, int kVector>
__global__ void __launch_bounds__(S::kThreads, 1)
    product_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  using TileCopies = Copies<S, kVector>;
  extern __shared__ float4 aligned_stages[];
  float* stages = reinterpret_cast<float*>(aligned_stages);
  const Corner corner = corner_of<S>(blockIdx.x, m, n);
  TileCopies copies(M, N, corner.row, corner.col, m, k, n);
  copies.start_first(stages, k);

  float sums[S::kThreadM][S::kThreadN] = {};
  const Place<S> place;
  Operands<S> operands[2];
  copies.wait();
  operands[0].load(stages, place, 0);
  int current = 0, refilled = S::kStages - 1;
  // Adds the products of a slice, always with the next operands on their way. If kCopy, starts the copies of
  // another slice in kGroups places: in one go they would fill the queue for memory instructions.
  const auto add_slice = [&]<bool kCopy>(bool is_last) {
    constexpr int kGroups = 8;
    const float* stage = stages + current * S::kStageFloats;
    float* refill = stages + refilled * S::kStageFloats;
    refilled = current;
    current = current + 1 == S::kStages ? 0 : current + 1;
#pragma unroll
    for (int depth = 0; depth < S::kDepth; ++depth) {
      if (depth + 1 < S::kDepth) operands[(depth + 1) % 2].load(stage, place, depth + 1);
      if (kCopy && depth % (S::kDepth / kGroups) == 0) {
        const int group = depth / (S::kDepth / kGroups);
        copies.template start<true>(refill, group * TileCopies::kCopies / kGroups,
                                    (group + 1) * TileCopies::kCopies / kGroups, S::kDepth);
      }
      if (depth + 1 == S::kDepth) {
        copies.finish(S::kDepth);
        copies.wait();
        if (kCopy || !is_last) operands[0].load(stages + current * S::kStageFloats, place, 0);
      }
      add_products(sums, operands[depth % 2]);
    }
  };
  const int slices = lab::ceil_div(k, S::kDepth);
  int slice = 0;
  for (; slice < slices - (S::kStages - 1); ++slice) add_slice.template operator()<true>(false);
  for (; slice < slices; ++slice) add_slice.template operator()<false>(slice + 1 == slices);

  store_sums<S, kVector>(sums, aligned_stages, P, m, n, corner);
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
using LargeTiles = Shape<128, 256, 64, 64, 16, 8, 4>;
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

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  if (are_large_tiles_enough(m, n))
    launch_for<LargeTiles>(d_M, d_N, d_P, m, k, n);
  else
    launch_for<SmallTiles>(d_M, d_N, d_P, m, k, n);
}
