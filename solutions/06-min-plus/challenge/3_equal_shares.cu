// Step 3: every multiprocessor gets the same number of slices.
//
// Step 2 has a block per tile, and a multiprocessor has room for one. For n = 4096 these are 512 tiles, 3.88
// rounds on 132 multiprocessors, and some of them idle in the last round; for n = 6300, 9.47 rounds. Here
// there are as many blocks as multiprocessors, and the slices of all tiles, in order, are divided equally
// ("stream-K"): a block computes the last slices of one tile, then whole tiles, then the first slices of
// another. The minima of a tile that several blocks share go to global memory, and a second kernel combines
// them, which takes 14 µs. A minimum is the same in every order. Where rows allow it, four neighbouring
// results are stored at a time, so that whole sectors are written. Counters: sm__cycles_active, its average
// against its maximum.

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

// What one thread copies of each slice of a tile. d[i][k] is transposed on the way, float by float:
// neighbouring lanes take 8 neighbours along k of 4 rows. Of d[k][j], kVector floats are copied at a time. An
// index that does not exist is replaced by the last that does: for i and j the results are not stored, and a
// k that occurs twice does not change a minimum.
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
  int next, end;  // slices

  __device__ Copies(const float* d, int first_i, int first_j, int n_, int first_slice, int end_slice)
      : n(n_), next(first_slice), end(end_slice) {
    const int t = threadIdx.x;
    const int row_I = t / kAlong;
#pragma unroll
    for (int i = 0; i < kRowsI; ++i) offsets_I[i] = min(first_i + row_I + i * kRowStepI, n - 1) * n;
    to_I = t % kAlong * S::kRowI + row_I;
    const int first_k = next == 0 ? 0 : n - (lab::ceil_div(n, S::kDepth) - next) * S::kDepth;
    d_I = d + first_k;
    row_J = t / kThreadsPerRowJ;
    const int col_J = t % kThreadsPerRowJ * kVector;
    to_J = S::kTileI + row_J * S::kBlockJ + col_J;
    d_J = d + first_k * n + min(first_j + col_J, n - kVector);
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
    ++next;
  }

  // Fills the first stages. The slice that can be a partial one is the first of a tile, so that the loop
  // needs no guards.
  __device__ void start_first(float* stages) {
    const int depth = next == 0 ? n - (lab::ceil_div(n, S::kDepth) - 1) * S::kDepth : S::kDepth;
    start<false>(stages, 0, kCopies, depth);
    finish(depth);
    for (int stage = 1; stage < S::kStages - 1; ++stage) {
      if (next < end) start<true>(stages + stage * S::kStageFloats, 0, kCopies, S::kDepth);
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

// Takes the candidates of one slice, piece by piece, always with the next operands on their way. If kCopy,
// starts the copies of another slice in kGroups places: in one go they would fill the queue for memory
// instructions, and the warp, which executes in order, would wait.
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
    for (int first_i = 0; first_i < S::kThreadI; first_i += 4)
#pragma unroll
      for (int first_j = 0; first_j < S::kThreadJ; first_j += 4)
#pragma unroll
        for (int j = first_j; j < first_j + 4; ++j)
#pragma unroll
          for (int i = first_i; i < first_i + 4; ++i) least[i][j] = fminf(least[i][j], x[i] + y[j]);
  }
}

// A thread's rows and columns of a tile: pieces of four neighbours.
template <class S>
struct Place {
  int row, col;
  __device__ Place() {
    const int warp = threadIdx.x / kWarp;
    const int lane = threadIdx.x % kWarp;
    row = warp / S::kWarpsJ * S::kWarpI + lane / S::kLanesJ * 4;
    col = warp % S::kWarpsJ * S::kWarpJ + lane % S::kLanesJ * 4;
  }
  __device__ int row_of(int i) const { return row + i / 4 * 4 * S::kLanesI + i % 4; }
  __device__ int col_of(int j) const { return col + j / 4 * 4 * S::kLanesJ + j % 4; }
};

// Stores kThreadJ results of a thread, kVector neighbours at a time: with four, 16 whole sectors per
// instruction of a warp. `to` is the row of r.
template <class S, int kVector>
__device__ void store_row(const float (&least)[S::kThreadJ], float* to, int first_j, int n) {
  const Place<S> place;
#pragma unroll
  for (int j = 0; j < S::kThreadJ; j += kVector) {
    const int col = first_j + place.col_of(j);
    if (col >= n) continue;
    if constexpr (kVector == 4)
      *reinterpret_cast<float4*>(to + col) = {least[j], least[j + 1], least[j + 2], least[j + 3]};
    else
      to[col] = least[j];
  }
}

// Slices first to last - 1 of a tile.
struct Part {
  int tile, first, last;
};

// The slices of all tiles are numbered, and block b of `blocks` has those from first_slice(b) to
// first_slice(b + 1) - 1. At most two of its parts are not whole tiles: one that does not begin with its
// tile's first slice, and one that does. `minima` has room for both.
struct Shares {
  int slices;  // of a tile
  int tiles, blocks;
  float* minima;
  __device__ int first_slice(int block) const {
    return static_cast<int>(static_cast<long long>(slices) * tiles * block / blocks);
  }
  // The minima of a thread for row i of its share.
  template <class S>
  __device__ float* minima_of(int block, bool from_first_slice, int i) const {
    return minima + ((block * 2 + from_first_slice) * S::kThreadI + i) * S::kThreadJ * S::kThreads +
           threadIdx.x;
  }
};

// Stores the minima of a whole tile in r, others where they can be combined.
template <class S, int kVector>
__device__ void store_part(const float (&least)[S::kThreadI][S::kThreadJ], float* r, int n, Part part,
                           const Shares& shares) {
  const Place<S> place;
  const int per_row = lab::ceil_div(n, S::kBlockJ);
  const bool whole = part.last - part.first == shares.slices;
  const int first_i = part.tile / per_row * S::kBlockI;
  const int first_j = part.tile % per_row * S::kBlockJ;
#pragma unroll
  for (int i = 0; i < S::kThreadI; ++i) {
    if (whole) {
      const int row = first_i + place.row_of(i);
      if (row < n) store_row<S, kVector>(least[i], r + row * n, first_j, n);
    } else {
      float* minima = shares.minima_of<S>(blockIdx.x, part.first == 0, i);
#pragma unroll
      for (int j = 0; j < S::kThreadJ; ++j) minima[j * S::kThreads] = least[i][j];
    }
  }
}

// Not inlined, so that the registers for the minima need not hold the state of the caller's loop, too.
template <class S, int kVector>
__device__ __noinline__ void take_part(float* stages, float* r, const float* d, int n, Part part,
                                       const Shares& shares) {
  const int per_row = lab::ceil_div(n, S::kBlockJ);
  Copies<S, kVector> copies(d, part.tile / per_row * S::kBlockI, part.tile % per_row * S::kBlockJ, n,
                            part.first, part.last);
  copies.start_first(stages);

  float least[S::kThreadI][S::kThreadJ];
#pragma unroll
  for (int i = 0; i < S::kThreadI; ++i)
#pragma unroll
    for (int j = 0; j < S::kThreadJ; ++j) least[i][j] = HUGE_VALF;

  const Place<S> place;
  int current = 0, refilled = S::kStages - 1;
  const auto take_slice = [&]<bool kCopy>() {
    __pipeline_wait_prior(S::kStages - 2);  // this thread's copies of the current slice are complete,
    __syncthreads();                        // and everyone's; no thread reads the stage that is refilled now
    const float* stage = stages + current * S::kStageFloats;
    relax<kCopy>(least, stage + place.row, stage + S::kTileI + place.col, copies,
                 stages + refilled * S::kStageFloats);
    copies.finish(S::kDepth);
    refilled = current;
    current = current + 1 == S::kStages ? 0 : current + 1;
  };
  int slice = part.first;
  for (; slice < part.last - (S::kStages - 1); ++slice) take_slice.template operator()<true>();
  for (; slice < part.last; ++slice) take_slice.template operator()<false>();

  store_part<S, kVector>(least, r, n, part, shares);
}

template <class S, int kVector>
__global__ void __launch_bounds__(S::kThreads, 1)
    step_kernel(float* r, const float* d, int n, Shares shares) {
  extern __shared__ float4 aligned_stages[];
  float* stages = reinterpret_cast<float*>(aligned_stages);
  const int end = shares.first_slice(blockIdx.x + 1);
  for (int slice = shares.first_slice(blockIdx.x); slice < end;) {
    const int first = slice % shares.slices;
    const Part part{slice / shares.slices, first, min(shares.slices, first + end - slice)};
    take_part<S, kVector>(stages, r, d, n, part, shares);
    slice += part.last - part.first;
    __syncthreads();  // all threads are done with the stages
  }
}

// Combines the minima of the blocks that share a tile. Block b is for the first tile that share b does not
// complete, unless the tile began in an earlier share. blockIdx.y is the row of a thread's results.
template <class S, int kVector>
__global__ void combine_kernel(float* r, int n, Shares shares) {
  const int split = shares.first_slice(blockIdx.x + 1);
  const int tile = split / shares.slices, tile_begin = tile * shares.slices;
  if (split == tile_begin || shares.first_slice(blockIdx.x) > tile_begin) return;
  const int i = blockIdx.y;
  float least[S::kThreadJ];
#pragma unroll
  for (int j = 0; j < S::kThreadJ; ++j) least[j] = HUGE_VALF;
  for (int block = blockIdx.x; shares.first_slice(block) < tile_begin + shares.slices; ++block) {
    const int begin = shares.first_slice(block);
    if (begin == shares.first_slice(block + 1)) continue;
    const float* minima = shares.minima_of<S>(block, begin <= tile_begin, i);
#pragma unroll
    for (int j = 0; j < S::kThreadJ; ++j) least[j] = fminf(least[j], minima[j * S::kThreads]);
  }
  const int per_row = lab::ceil_div(n, S::kBlockJ);
  const int row = tile / per_row * S::kBlockI + Place<S>().row_of(i);
  if (row < n) store_row<S, kVector>(least, r + row * n, tile % per_row * S::kBlockJ, n);
}

// Device memory that is kept for the next call.
float* kept_floats(size_t size) {
  static float* kept = nullptr;
  static size_t kept_size = 0;
  if (size > kept_size) {
    CUDA_CHECK(cudaFree(kept));
    CUDA_CHECK(cudaMalloc(&kept, size * sizeof(float)));
    kept_size = size;
  }
  return kept;
}

template <class S, int kVector>
void launch(float* d_r, const float* d_d, int n) {
  const auto kernel = step_kernel<S, kVector>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::kSharedBytes));
  int device = 0;
  int sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  const Shares shares{lab::ceil_div(n, S::kDepth),
                      lab::ceil_div(n, S::kBlockI) * lab::ceil_div(n, S::kBlockJ), sms,
                      kept_floats(size_t{2} * sms * S::kBlockI * S::kBlockJ)};
  kernel<<<sms, S::kThreads, S::kSharedBytes>>>(d_r, d_d, n, shares);
  CUDA_CHECK(cudaGetLastError());
  combine_kernel<S, kVector><<<dim3(sms - 1, S::kThreadI), S::kThreads>>>(d_r, n, shares);
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
