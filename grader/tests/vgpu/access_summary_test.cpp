// Ranges of memory that a launch used, from its blocks' logs.
#include "vgpu/races/access_summary.hpp"

#include "catch.hpp"

namespace access_summary_test {

using vgpu::AccessRun;
using vgpu::AccessSummary;
using vgpu::BlockLog;
using vgpu::MemoryAccess;

namespace {

constexpr std::uint32_t kWord = 4;

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
  AccessSummary summary(kWord);
  summary.add({}, BlockLog{{run(1000, 32, false), run(1128, 32, false), run(5000, 2, true)}, {}});
  summary.add({}, BlockLog{{run(900, 25, false), run(5008, 1, true, vgpu::AccessKey::kAtomic)}, {}});
  const std::vector<MemoryAccess> expected{
      {900, 356, false, false}, {5008, 4, false, true}, {5000, 8, true, false}, {5008, 4, true, true}};
  CHECK(summary.take() == expected);
}

TEST_CASE("ranges in any order become those that their union has") {
  // Rows of a matrix by columns of tiles: ranges that fill the gaps between earlier ones.
  AccessSummary summary(kWord);
  for (std::uint64_t tile = 0; tile < 8; ++tile) {
    BlockLog log;
    for (std::uint64_t row = 0; row < 600; ++row)
      log.runs.push_back(run(1000 + row * 640 + tile * 64, 16, false));
    summary.add({}, log);
    summary.add({}, log);
  }
  summary.add({}, BlockLog{{run(900, 30, false), run(0, 2, false)}, {}});
  std::vector<MemoryAccess> expected{{0, 8, false, false}, {900, 612, false, false}};
  for (std::uint64_t row = 1; row < 600; ++row) expected.push_back({1000 + row * 640, 512, false, false});
  CHECK(summary.take() == expected);
}

TEST_CASE("the gaps of a strided run are no part of the ranges") {
  AccessSummary summary(kWord);
  AccessRun pairs = run(1000, 6, true);
  pairs.spacing = {.shift = 1, .gap = 3};
  summary.add({}, BlockLog{{pairs}, {}});
  const std::vector<MemoryAccess> expected{
      {1000, 8, true, false}, {1020, 8, true, false}, {1040, 8, true, false}};
  CHECK(summary.take() == expected);
}

TEST_CASE("volatile accesses are relaxed atomic ones") {
  AccessSummary summary(kWord);
  summary.add({}, BlockLog{{run(1000, 1, true, vgpu::AccessKey::kVolatile)}, {}});
  CHECK(summary.take() == std::vector<MemoryAccess>{{1000, 4, true, true}});
}

TEST_CASE("the summary does not depend on the number of parts") {
  constexpr unsigned kParts = 4;
  constexpr std::uint64_t kPageBytes = 1U << vgpu::MemoryPart{}.page_shift;  // as MarkedGranules has
  AccessRun pairs = run(7 * kPageBytes + 400, 6, true);
  pairs.spacing = {.shift = 1, .gap = 3};
  const BlockLog log{{run(1000, 3 * 1024, false), run(5 * kPageBytes - 4, 2, true), pairs}, {}};
  AccessSummary whole(kWord), divided(kWord, kParts);
  whole.add({}, log);
  for (unsigned part = 0; part < kParts; ++part) divided.add({part, kParts}, log);
  const std::vector<MemoryAccess> expected = whole.take();
  CHECK(expected.size() == 5);
  CHECK(divided.take() == expected);
}

TEST_CASE("reads of other memory are joined with those of the logs, however often they are added") {
  AccessSummary summary(kWord);
  summary.add({}, BlockLog{{run(1000, 4, false)}, {}});
  for (std::uint64_t i = 0; i < 3000; ++i) summary.add_read(1016 + i % 2 * 84, 16 + i % 3);
  CHECK(summary.take() == std::vector<MemoryAccess>{{1000, 34, false, false}, {1100, 18, false, false}});
}

TEST_CASE("too many separate ranges count as unknown") {
  AccessSummary summary(kWord);
  for (std::uint64_t i = 0; i <= AccessSummary::kMaxRanges; ++i)
    summary.add({}, BlockLog{{run(1000 + 8 * i, 1, false)}, {}});
  CHECK(summary.take().empty());
  for (std::uint64_t i = 0; i < 200'000; ++i) summary.add({}, BlockLog{{run(8 * i, 1, true)}, {}});
  CHECK(summary.take().empty());
}

}  // namespace access_summary_test
