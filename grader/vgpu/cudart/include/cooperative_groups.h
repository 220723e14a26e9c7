// Cooperative groups: threads that work together, as objects. For clang; with nvcc, the toolkit's own headers
// are used. Not supported, and refused by name: tiles of more than 32 threads, clusters.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__)

#include "kit/group_shuffles.h"

namespace cooperative_groups {

class coalesced_group;

/// Any group within a block: the block, or the lanes of a mask in one warp.
class thread_group {
 public:
  __device__ unsigned long long num_threads() const {
    return mask_ != 0 ? __popc(mask_) : blockDim.x * blockDim.y * blockDim.z;
  }
  __device__ unsigned long long size() const { return num_threads(); }
  __device__ unsigned long long thread_rank() const {
    return mask_ != 0 ? kit::rank_in(mask_) : kit::rank_in_block();
  }
  __device__ void sync() const {
    if (mask_ != 0)
      __syncwarp(mask_);
    else
      __syncthreads();
  }

 protected:
  __device__ explicit thread_group(unsigned int mask) : mask_(mask) {}
  unsigned int mask_;  ///< 0: the whole block

  friend __device__ thread_group tiled_partition(const thread_group& parent, unsigned int tile_size);
};

/// All threads of the block.
class thread_block : public thread_group {
 public:
  struct arrival_token {};

  __device__ void sync() const { __syncthreads(); }
  /// All threads of the block wait for one another in barrier_wait, so this function does nothing.
  __device__ arrival_token barrier_arrive() const { return {}; }
  __device__ void barrier_wait(arrival_token&&) const { __syncthreads(); }

  __device__ static unsigned int thread_rank() { return kit::rank_in_block(); }
  __device__ static unsigned int num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ static unsigned int size() { return num_threads(); }
  __device__ static dim3 group_index() { return blockIdx; }
  __device__ static dim3 thread_index() { return threadIdx; }
  __device__ static dim3 dim_threads() { return blockDim; }
  __device__ static dim3 group_dim() { return blockDim; }

 private:
  __device__ thread_block() : thread_group(0) {}
  friend __device__ inline thread_block this_thread_block();
};

__device__ inline thread_block this_thread_block() { return thread_block(); }

/// All threads of a grid that was launched with cudaLaunchCooperativeKernel.
class grid_group {
 public:
  using arrival_token = unsigned int;

  __device__ bool is_valid() const { return barrier_ != nullptr; }
  __device__ void sync() const { barrier_wait(barrier_arrive()); }
  __device__ arrival_token barrier_arrive() const;
  __device__ void barrier_wait(arrival_token before) const;

  __device__ static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
  __device__ static unsigned long long size() { return num_threads(); }
  __device__ static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  __device__ static unsigned long long num_blocks() { return 1ULL * gridDim.x * gridDim.y * gridDim.z; }
  __device__ static unsigned long long block_rank() {
    return (1ULL * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  __device__ static dim3 dim_blocks() { return gridDim; }
  __device__ static dim3 block_index() { return blockIdx; }
  __device__ static dim3 group_dim() { return gridDim; }

 private:
  __device__ grid_group();
  unsigned int* barrier_;  ///< its top bit changes when all blocks have arrived

  friend __device__ inline grid_group this_grid();
};

/// A cooperative launch passes the address of its workspace in two registers: a size, then the barrier.
__device__ inline grid_group::grid_group() {
  unsigned int high = 0, low = 0;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  const unsigned long long workspace = (unsigned long long)high << 32 | low;
  barrier_ = workspace == 0 ? nullptr : reinterpret_cast<unsigned int*>(workspace) + 1;
}

__device__ inline grid_group this_grid() { return grid_group(); }

__device__ inline grid_group::arrival_token grid_group::barrier_arrive() const {
  if (!is_valid()) __trap();
  __syncthreads();
  unsigned int before = 0;
  if (kit::rank_in_block() == 0) {
    // The additions of all blocks together change the top bit.
    const unsigned int step = block_rank() == 0 ? 0x80000000U - ((unsigned int)num_blocks() - 1) : 1;
    asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(barrier_), "r"(step)
                 : "memory");
  }
  return before;
}

__device__ inline void grid_group::barrier_wait(arrival_token before) const {
  if (kit::rank_in_block() == 0) {
    unsigned int now = 0;
    do {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(barrier_) : "memory");
    } while (((now ^ before) & 0x80000000U) == 0);
  }
  __syncthreads();
}

/// What tiles and coalesced groups have in common; Group has mask() and lane_of(rank).
template <class Group>
class kit_lanes {
 public:
  template <class T>
  __device__ T shfl(T value, int rank) const {
    return kit::shuffle(mask(), value, self().lane_of(rank));
  }
  /// The threads without a partner keep their value.
  template <class T>
  __device__ T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = self().thread_rank();
    return shfl(value, rank + delta < self().num_threads() ? rank + delta : rank);
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = self().thread_rank();
    return shfl(value, rank >= delta ? rank - delta : rank);
  }
  __device__ int any(int predicate) const { return __ballot_sync(mask(), predicate) != 0; }
  __device__ int all(int predicate) const { return __ballot_sync(mask(), predicate) == mask(); }
  __device__ unsigned int ballot(int predicate) const {
    return self().pack(__ballot_sync(mask(), predicate));
  }
  template <class T>
  __device__ unsigned int match_any(T value) const {
    return self().pack(kit::match_any(mask(), value));
  }
  template <class T>
  __device__ unsigned int match_all(T value, int& is_same) const {
    is_same = kit::match_any(mask(), value) == mask();
    return __ballot_sync(mask(), is_same) == mask() ? self().pack(mask()) : 0;
  }
  __device__ void sync() const { __syncwarp(mask()); }

 private:
  __device__ const Group& self() const { return static_cast<const Group&>(*this); }
  __device__ unsigned int mask() const { return self().mask(); }
};

/// The lanes that execute together at one place, or a part of them.
class coalesced_group : public thread_group, public kit_lanes<coalesced_group> {
 public:
  using kit_lanes<coalesced_group>::sync;

  __device__ unsigned int num_threads() const { return __popc(mask_); }
  __device__ unsigned int size() const { return num_threads(); }
  __device__ unsigned int thread_rank() const { return kit::rank_in(mask_); }
  __device__ unsigned int meta_group_size() const { return groups_; }
  __device__ unsigned int meta_group_rank() const { return number_; }

  __device__ unsigned int mask() const { return mask_; }
  __device__ unsigned int lane_of(int rank) const {
    return mask_ == kit::kAllLanes ? rank : __fns(mask_, 0, rank + 1);
  }
  /// The bits of the group's lanes, packed without gaps.
  __device__ unsigned int pack(unsigned int lanes) const {
    unsigned int packed = 0;
    for (unsigned int left = mask_, bit = 1; left != 0; left &= left - 1, bit <<= 1)
      if ((lanes & left & -left) != 0) packed |= bit;
    return packed;
  }

 private:
  __device__ explicit coalesced_group(unsigned int mask, unsigned int groups = 1, unsigned int number = 0)
      : thread_group(mask), groups_(groups), number_(number) {}
  unsigned int groups_, number_;

  friend __device__ inline coalesced_group coalesced_threads();
  friend __device__ inline coalesced_group tiled_partition(const coalesced_group&, unsigned int);
  template <class Group>
  friend __device__ coalesced_group labeled_partition(const Group&, int);
};

__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/// `Size` neighbouring threads of a warp.
template <unsigned int Size, class Parent = void>
class thread_block_tile : public thread_group, public kit_lanes<thread_block_tile<Size, Parent>> {
  static_assert(Size != 0 && (Size & (Size - 1)) == 0, "the size of a tile must be a power of two");
  static_assert(Size <= 32, "tiles of more than 32 threads need nvcc");

 public:
  using kit_lanes<thread_block_tile>::sync;

  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other>& other)
      : thread_group(other.mask()), groups_(other.meta_group_size()), number_(other.meta_group_rank()) {}

  __device__ static constexpr unsigned int num_threads() { return Size; }
  __device__ static constexpr unsigned int size() { return Size; }
  __device__ static unsigned int thread_rank() { return kit::lane() & (Size - 1); }
  __device__ unsigned int meta_group_size() const { return groups_; }
  __device__ unsigned int meta_group_rank() const { return number_; }

  template <class T>
  __device__ T shfl_xor(T value, unsigned int lanes) const {
    return this->shfl(value, (thread_rank() ^ lanes) & (Size - 1));
  }

  __device__ static unsigned int mask() {
    return Size == 32 ? kit::kAllLanes : ((1U << Size % 32) - 1) << first();
  }
  __device__ static unsigned int lane_of(int rank) { return first() + (rank & (Size - 1)); }
  __device__ static unsigned int pack(unsigned int lanes) { return (lanes & mask()) >> first(); }

 private:
  __device__ thread_block_tile(unsigned int groups, unsigned int number)
      : thread_group(mask()), groups_(groups), number_(number) {}
  __device__ static unsigned int first() { return kit::lane() & ~(Size - 1); }
  unsigned int groups_, number_;

  template <unsigned int Size2, class Parent2>
  friend __device__ thread_block_tile<Size2, Parent2> tiled_partition(const Parent2& parent);
};

template <unsigned int Size, class Parent>
__device__ inline thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  const unsigned int threads = parent.num_threads(), rank = parent.thread_rank();
  return thread_block_tile<Size, Parent>((threads + Size - 1) / Size, rank / Size);
}

__device__ inline thread_block_tile<1> this_thread() {
  return tiled_partition<1>(tiled_partition<1>(this_thread_block()));
}

/// Parts of `tile_size` threads of a group whose lanes are neighbours, or of the block.
__device__ inline thread_group tiled_partition(const thread_group& parent, unsigned int tile_size) {
  const unsigned int first = kit::lane() / tile_size * tile_size;
  const unsigned int tile = (tile_size >= 32 ? kit::kAllLanes : ((1U << tile_size) - 1) << first);
  return thread_group(parent.mask_ != 0 ? tile & parent.mask_ : tile);
}

__device__ inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned int tile_size) {
  const unsigned int number = parent.thread_rank() / tile_size;
  unsigned int mask = 0, rank = 0;
  for (unsigned int left = parent.mask(); left != 0; left &= left - 1, ++rank)
    if (rank / tile_size == number) mask |= left & -left;
  return coalesced_group(mask, (parent.num_threads() + tile_size - 1) / tile_size, number);
}

/// One group per label.
template <class Group>
__device__ inline coalesced_group labeled_partition(const Group& parent, int label) {
  const unsigned int mask = kit::match_any(parent.mask(), label);
  // The groups are numbered by their first lanes.
  const bool is_first = (mask & -mask) == 1U << kit::lane();
  const unsigned int firsts = __ballot_sync(parent.mask(), is_first);
  return coalesced_group(mask, __popc(firsts), __popc(firsts & ((mask & -mask) - 1)));
}

template <class Group>
__device__ inline coalesced_group binary_partition(const Group& parent, bool label) {
  return labeled_partition(parent, label ? 1 : 0);
}

/// One thread of the group calls the function.
template <class Group, class Function, class... Arguments>
__device__ inline void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
/// The same; all threads of the group, which has shuffles, get the result.
template <class Group, class Function, class... Arguments>
__device__ inline auto invoke_one_broadcast(const Group& group, Function&& function,
                                            Arguments&&... arguments) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

template <class Group>
__device__ inline void sync(const Group& group) {
  group.sync();
}
template <class Group>
__device__ inline auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
__device__ inline auto group_size(const Group& group) {
  return group.num_threads();
}

}  // namespace cooperative_groups

#endif
