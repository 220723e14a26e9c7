// Step 2: steps 5 and 6 of the ladder of lab 02.
//
// Every multiprocessor gets the same number of slices, and a second kernel adds the sums of tiles that two
// blocks share. Rows of sums have registers in the other bank than their elements of M. The operands of the
// next slice are loaded before the last products of a slice. Slices have 16 values of k, as in step 1, but
// their 24 copies per thread are started in eight places: in four, they fill the queue for memory
// instructions.
// Counters: as there.

#include <algorithm>

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
  static constexpr int kQuads = kThreadN * kThreads;  // of sums: see store_part
  static constexpr int kSharedBytes = std::max(kStages * kStageFloats * static_cast<int>(sizeof(float)),
                                               kQuads* static_cast<int>(sizeof(float4)));
  static_assert(kLanesM * kLanesN == kWarp && kDepth % 2 == 0);
};

// Slices first to last - 1 of a tile.
struct Part {
  int tile, first, last;
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
  int next, end;   // slices

  __device__ Copies(const float* M_, const float* N_, int first_row, int first_col, int m, int k, int n,
                    Part part)
      : next(part.first), end(part.last) {
    const int first_k = next == 0 ? 0 : next * S::kDepth - missing(k);
    const int along = threadIdx.x % kAlong, across = threadIdx.x / kAlong;
#pragma unroll
    for (int i = 0; i < kRows; ++i) offsets_M[i] = min(first_row + across + i * kStep, m - 1) * k;
#pragma unroll
    for (int i = 0; i < kColumns; ++i) offsets_N[i] = min(first_col + across + i * kStep, n - 1) * k;
    to_M = along * S::kRowM + across;
    to_N = S::kTileM + along * S::kRowN + across;
    M = M_ + first_k + along;
    N = N_ + first_k + along;
  }

  // The slice that can be a partial one is the first of a tile, so that the loop needs no guards.
  static __device__ int missing(int k) { return lab::ceil_div(k, S::kDepth) * S::kDepth - k; }

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
    ++next;
  }

  // Fills the first stages.
  __device__ void start_first(float* stages, int k) {
    const int depth = next == 0 ? S::kDepth - missing(k) : S::kDepth;
    start<false>(stages, 0, kCopies, depth);
    finish(depth);
    for (int stage = 1; stage < S::kStages - 1; ++stage) {
      if (next < end) start<true>(stages + stage * S::kStageFloats, 0, kCopies, S::kDepth);
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
    load_pieces<S::kThreadN, 4 * S::kLanesN>(b, stage + S::kTileM + place.col + depth * S::kRowN);
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

// Rows of tiles are taken in groups of kGroup: consecutive tiles go down a group before they go right.
template <class S>
__device__ Corner corner_of(int tile, int m, int n) {
  constexpr int kGroup = 8;
  const int rows = lab::ceil_div(m, S::kBlockM), cols = lab::ceil_div(n, S::kBlockN);
  const int first_row = tile / (kGroup * cols) * kGroup;
  const int group_rows = min(kGroup, rows - first_row);
  const int in_group = tile - first_row * cols;
  return {(first_row + in_group % group_rows) * S::kBlockM, in_group / group_rows * S::kBlockN};
}

// A quad: the sums of four neighbouring rows in a column, in the order of step 5 of lab 02.
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

// The slices of all tiles are numbered, and block b of `blocks` has those from first_slice(b) to
// first_slice(b + 1) - 1. There are at least as many tiles as blocks. At most two parts of a share are not
// whole tiles: one that does not begin with its tile's first slice, and one that does. `quads` has room for
// the sums of both.
struct Shares {
  int slices;  // of a tile
  int tiles, blocks;
  float4* quads;
  __device__ int first_slice(int block) const {
    return static_cast<int>(static_cast<long long>(slices) * tiles * block / blocks);
  }
  // A thread's quads of rows `row` to row + 3 of its sums, kThreads quads apart.
  template <class S>
  __device__ float4* quads_of(int block, bool from_first_slice, int row) const {
    return quads + ((block * 2 + from_first_slice) * S::kThreadM + row) / 4 * S::kQuads + threadIdx.x;
  }
};

// Stores the sums of a whole tile in P, by way of shared memory, others where they can be added.
template <class S, int kVector>
__device__ void store_part(const float (&sums)[S::kThreadM][S::kThreadN], float4* shared, float* P, int m,
                           int n, Part part, const Shares& shares) {
  const bool whole = part.last - part.first == shares.slices;
  const Place<S> place;
  const Corner corner = corner_of<S>(part.tile, m, n);
#pragma unroll
  for (int i = 0; i < S::kThreadM; i += 4) {
    float4* quads = whole ? shared + threadIdx.x : shares.quads_of<S>(blockIdx.x, part.first == 0, i);
    __syncthreads();  // all threads are done with the stages, or with the quads before
#pragma unroll
    for (int j = 0; j < S::kThreadN; ++j)
      quads[j * S::kThreads] = make_quad(sums[i][j], sums[i + 1][j], sums[i + 2][j], sums[i + 3][j]);
    __syncthreads();
    if (!whole) continue;
#pragma unroll
    for (int j = 0; j < S::kThreadN; j += 4) {
      const float4 four[4] = {quads[j * S::kThreads], quads[(j + 1) * S::kThreads],
                              quads[(j + 2) * S::kThreads], quads[(j + 3) * S::kThreads]};
      store_quads<kVector>(four, P, corner.row + place.row + i * S::kLanesM,
                           corner.col + place.col + j * S::kLanesN, m, n);
    }
  }
}

// Not inlined, so that the registers for the sums need not hold the state of the caller's loop, too.
template <class S, int kVector>
__device__ __noinline__ void take_part(float* stages, const float* M, const float* N, float* P, int m, int k,
                                       int n, Part part, const Shares& shares) {
  const Corner corner = corner_of<S>(part.tile, m, n);
  Copies<S> copies(M, N, corner.row, corner.col, m, k, n, part);
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
        copies.template start<true>(refill, group * Copies<S>::kCopies / kGroups,
                                    (group + 1) * Copies<S>::kCopies / kGroups, S::kDepth);
      }
      if (depth + 1 == S::kDepth) {
        copies.finish(S::kDepth);
        copies.wait();
        if (kCopy || !is_last) operands[0].load(stages + current * S::kStageFloats, place, 0);
      }
      add_products(sums, operands[depth % 2]);
    }
  };
  int slice = part.first;
  for (; slice < part.last - (S::kStages - 1); ++slice) add_slice.template operator()<true>(false);
  for (; slice < part.last; ++slice) add_slice.template operator()<false>(slice + 1 == part.last);

  store_part<S, kVector>(sums, reinterpret_cast<float4*>(stages), P, m, n, part, shares);
}

template <class S, int kVector>
__global__ void __launch_bounds__(S::kThreads, 1)
    product_kernel(const float* M, const float* N, float* P, int m, int k, int n, Shares shares) {
  extern __shared__ float4 aligned_stages[];
  float* stages = reinterpret_cast<float*>(aligned_stages);
  const int end = shares.first_slice(blockIdx.x + 1);
  for (int slice = shares.first_slice(blockIdx.x); slice < end;) {
    const int first = slice % shares.slices;
    const Part part{slice / shares.slices, first, min(shares.slices, first + end - slice)};
    take_part<S, kVector>(stages, M, N, P, m, k, n, part, shares);
    slice += part.last - part.first;
    __syncthreads();  // all threads are done with shared memory
  }
}

// Adds the sums of the tile that share blockIdx.x does not complete. Each block of threads has 4 of a
// thread's rows and columns.
template <class S, int kVector>
__global__ void add_kernel(float* P, int m, int n, Shares shares) {
  const int split = shares.first_slice(blockIdx.x + 1);
  if (split % shares.slices == 0) return;
  const int i = blockIdx.y * 4, j = blockIdx.z * 4;
  const float4* first = shares.quads_of<S>(blockIdx.x, true, i);
  const float4* last = shares.quads_of<S>(blockIdx.x + 1, false, i);
  float4 quads[4];
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    const float4 x = first[(j + c) * S::kThreads], y = last[(j + c) * S::kThreads];
    quads[c] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
  }
  const Place<S> place;
  const Corner corner = corner_of<S>(split / shares.slices, m, n);
  store_quads<kVector>(quads, P, corner.row + place.row + i * S::kLanesM,
                       corner.col + place.col + j * S::kLanesN, m, n);
}

// Device memory that is kept for the next call.
float4* kept_quads(size_t size) {
  static float4* kept = nullptr;
  static size_t kept_size = 0;
  if (size > kept_size) {
    CUDA_CHECK(cudaFree(kept));
    CUDA_CHECK(cudaMalloc(&kept, size * sizeof(float4)));
    kept_size = size;
  }
  return kept;
}

int multiprocessors() {
  int device = 0;
  int sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  return sms;
}

template <class S, int kVector>
void launch(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const auto kernel = product_kernel<S, kVector>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::kSharedBytes));
  const int tiles = lab::ceil_div(m, S::kBlockM) * lab::ceil_div(n, S::kBlockN);
  const int blocks = std::min(tiles, multiprocessors());
  const bool are_tiles_shared = tiles % blocks != 0;
  const size_t quads = are_tiles_shared ? size_t{2} * blocks * S::kThreadM / 4 * S::kQuads : 0;
  const Shares shares{lab::ceil_div(k, S::kDepth), tiles, blocks, kept_quads(quads)};
  kernel<<<blocks, S::kThreads, S::kSharedBytes>>>(d_M, d_N, d_P, m, k, n, shares);
  CUDA_CHECK(cudaGetLastError());
  if (!are_tiles_shared) return;
  const dim3 grid(blocks - 1, S::kThreadM / 4, S::kThreadN / 4);
  add_kernel<S, kVector><<<grid, S::kThreads>>>(d_P, m, n, shares);
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
  const int tiles = lab::ceil_div(m, LargeTiles::kBlockM) * lab::ceil_div(n, LargeTiles::kBlockN);
  return 4 * tiles >= 3 * multiprocessors();
}

}  // namespace

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  if (are_large_tiles_enough(m, n))
    launch_for<LargeTiles>(d_M, d_N, d_P, m, k, n);
  else
    launch_for<SmallTiles>(d_M, d_N, d_P, m, k, n);
}
