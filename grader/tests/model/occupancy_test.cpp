// The number of blocks per SM, compared with the CUDA occupancy calculator.
#include "vgpu/model/occupancy.hpp"

#include "catch.hpp"

using vgpu::occupancy;
using vgpu::OccupancyLimit;

namespace {

vgpu::Profile h200() { return *vgpu::find_profile("h200"); }

}  // namespace

TEST_CASE("the lecture's SM holds six blocks of 256 threads, all its 1,536 threads") {
  const auto fit = occupancy(vgpu::lecture_profile(), {256, 2048, 20});
  CHECK(fit.blocks_per_sm == 6);
  CHECK(fit.limit == OccupancyLimit::threads);
  CHECK(fit.fraction() == 1.0);
}

TEST_CASE("each limit can be decisive") {
  const auto limit = [](std::uint64_t threads, std::size_t shared, std::uint32_t registers) {
    return occupancy(h200(), {threads, shared, registers});
  };
  CHECK(limit(32, 0, 16).limit == OccupancyLimit::blocks);
  CHECK(limit(32, 0, 16).blocks_per_sm == 32);
  CHECK(limit(256, 0, 32).limit == OccupancyLimit::threads);
  CHECK(limit(256, 0, 32).blocks_per_sm == 8);
  CHECK(limit(256, 0, 64).limit == OccupancyLimit::registers);
  CHECK(limit(256, 0, 64).blocks_per_sm == 4);
  CHECK(limit(256, 0, 64).fraction() == 0.5);
  CHECK(limit(128, 48 * 1024, 32).limit == OccupancyLimit::shared_memory);
  CHECK(limit(128, 48 * 1024, 32).blocks_per_sm ==
        4);  // 49 of 228 KiB per block, including the system's part
}

TEST_CASE("registers are allocated per warp, and warps evenly to the schedulers") {
  CHECK(occupancy(h200(), {96, 0, 40}).blocks_per_sm == 16);   // 48 warps of 1,280 registers
  CHECK(occupancy(h200(), {1024, 0, 65}).blocks_per_sm == 0);  // 28 warps of 2,304 registers
  // An estimate never excludes a block, since a launch with it is not refused either.
  CHECK(occupancy(h200(), {1024, 0, 65, true}).blocks_per_sm == 1);
  CHECK(occupancy(h200(), {1024, 0, 64, true}).blocks_per_sm == 1);
  CHECK(occupancy(h200(), {256, 0, 64, true}).blocks_per_sm == 4);
}
