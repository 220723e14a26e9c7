// Ranges of memory that a launch used, from its blocks' logs.
#include "vgpu/races/access_summary.hpp"

#include "catch.hpp"

namespace access_summary_test {

using vgpu::AccessRun;
using vgpu::AccessSummary;
using vgpu::BlockLog;
using vgpu::MemoryAccess;

namespace {

AccessRun run(std::uint64_t address, std::uint32_t granules, bool is_store, std::int32_t flags = 0) {
  AccessRun one;
  one.address = address;
  one.granules = granules;
  one.is_store = is_store;
  one.flags = flags;
  return one;
}

}  // namespace

TEST_CASE(
    "adjacent runs become one range, kinds of access stay separate, and an atomic one reads and writes") {
  AccessSummary summary;
  summary.add(BlockLog{{run(1000, 32, false), run(1128, 32, false), run(5000, 2, true)}, {}}, 4);
  summary.add(BlockLog{{run(900, 25, false), run(5008, 1, true, vgpu::AccessKey::kAtomic)}, {}}, 4);
  const std::vector<MemoryAccess> expected{
      {900, 356, false, false}, {5008, 4, false, true}, {5000, 8, true, false}, {5008, 4, true, true}};
  CHECK(summary.take() == expected);
}

TEST_CASE("ranges in any order become those that their union has") {
  // Rows of a matrix by columns of tiles: ranges that fill the gaps between earlier ones.
  AccessSummary summary;
  for (std::uint64_t tile = 0; tile < 8; ++tile) {
    BlockLog log;
    for (std::uint64_t row = 0; row < 600; ++row)
      log.runs.push_back(run(1000 + row * 640 + tile * 64, 16, false));
    summary.add(log, 4);
    summary.add(log, 4);
  }
  summary.add(BlockLog{{run(900, 30, false), run(0, 2, false)}, {}}, 4);
  std::vector<MemoryAccess> expected{{0, 8, false, false}, {900, 612, false, false}};
  for (std::uint64_t row = 1; row < 600; ++row) expected.push_back({1000 + row * 640, 512, false, false});
  CHECK(summary.take() == expected);
}

TEST_CASE("the gaps of a strided run are no part of the ranges") {
  AccessSummary summary;
  AccessRun pairs = run(1000, 6, true);
  pairs.spacing = {.shift = 1, .gap = 3};
  summary.add(BlockLog{{pairs}, {}}, 4);
  const std::vector<MemoryAccess> expected{
      {1000, 8, true, false}, {1020, 8, true, false}, {1040, 8, true, false}};
  CHECK(summary.take() == expected);
}

TEST_CASE("volatile accesses are relaxed atomic ones") {
  AccessSummary summary;
  summary.add(BlockLog{{run(1000, 1, true, vgpu::AccessKey::kVolatile)}, {}}, 4);
  CHECK(summary.take() == std::vector<MemoryAccess>{{1000, 4, true, true}});
}

TEST_CASE("too many separate ranges count as unknown") {
  AccessSummary summary;
  for (std::uint64_t i = 0; i <= AccessSummary::kMaxRanges; ++i)
    summary.add(BlockLog{{run(1000 + 8 * i, 1, false)}, {}}, 4);
  CHECK(summary.take().empty());
  for (std::uint64_t i = 0; i < 200'000; ++i) summary.add(BlockLog{{run(8 * i, 1, true)}, {}}, 4);
  CHECK(summary.take().empty());
}

}  // namespace access_summary_test
