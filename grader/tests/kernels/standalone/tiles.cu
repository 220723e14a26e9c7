// Tiles of cooperative groups: parts of a warp vote, match, shuffle and synchronise separately, with all
// lanes and in branches. The host computes the same values thread by thread.
#include <cstdio>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

constexpr unsigned kThreads = 64;

template <unsigned kWidth>
__global__ void tiles(unsigned* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<kWidth>(block);
  const unsigned t = block.thread_rank();
  unsigned r = tile.ballot(t % 3 == 0) + 100000 * tile.any(t == 5) + 200000 * tile.all(t < 40);
  r += tile.match_any(t % 2) + cg::reduce(tile, t, cg::plus<unsigned>());
  if (tile.meta_group_rank() % 2 == 0) {
    r ^= tile.shfl_xor(r, 1);
    tile.sync();
  } else {
    r += 7 * tile.ballot(t % 2);
  }
  if (t % 5 != 0) {
    const auto others = cg::coalesced_threads();
    r += 1000 * others.size() + cg::reduce(others, t, cg::greater<unsigned>());
  }
  tile.sync();
  out[t] = r + tile.shfl(t, 0);
}

/// The result of the votes and reductions of thread t's tile, which begins at thread `first`.
template <unsigned kWidth>
unsigned agreed(unsigned t, unsigned first) {
  unsigned ballot = 0, any = 0, all = 1, match = 0, sum = 0;
  for (unsigned i = 0; i < kWidth; ++i) {
    const unsigned other = first + i;
    ballot |= (other % 3 == 0 ? 1U : 0U) << i;
    match |= (other % 2 == t % 2 ? 1U : 0U) << i;
    any |= other == 5 ? 1 : 0;
    all &= other < 40 ? 1 : 0;
    sum += other;
  }
  return ballot + 100000 * any + 200000 * all + match + sum;
}

template <unsigned kWidth>
unsigned expected(unsigned t) {
  const unsigned tile = t / kWidth, first = tile * kWidth;
  unsigned r = agreed<kWidth>(t, first);
  if (tile % 2 == 0) {
    r ^= agreed<kWidth>(t ^ 1, first);
  } else {
    for (unsigned i = 1; i < kWidth; i += 2) r += 7U << i;
  }
  unsigned size = 0, greatest = 0;
  for (unsigned other = t / 32 * 32; other < t / 32 * 32 + 32; ++other) {
    if (other % 5 == 0) continue;
    ++size;
    greatest = other;
  }
  return first + r + (t % 5 == 0 ? 0 : 1000 * size + greatest);
}

template <unsigned kWidth>
void check(unsigned* device) {
  unsigned out[kThreads], wrong = 0;
  tiles<kWidth><<<1, kThreads>>>(device);
  cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
  for (unsigned t = 0; t < kThreads; ++t) wrong += out[t] != expected<kWidth>(t) ? 1 : 0;
  std::printf("%u: %s, %u wrong\n", kWidth, cudaGetErrorName(cudaGetLastError()), wrong);
}

int main() {
  unsigned* device = nullptr;
  cudaMalloc(&device, kThreads * sizeof *device);
  check<2>(device);
  check<4>(device);
  check<8>(device);
  check<16>(device);
  check<32>(device);
  cudaFree(device);
  return 0;
}
