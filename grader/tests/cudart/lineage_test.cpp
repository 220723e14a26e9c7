// Where the bytes in device memory come from: launches, and copies within the device.
#include "vgpu/cudart/device_side/lineage.hpp"

#include "catch.hpp"

namespace lineage_test {

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

constexpr std::uint64_t kA = 0x1000, kB = 0x2000, kC = 0x3000;

LaunchRecord launch(std::vector<MemoryAccess> accesses) {
  LaunchRecord record;
  record.accesses = std::move(accesses);
  record.counters.global_stores.requests = 1;
  return record;
}

Rows at(std::uint64_t address, std::uint64_t pitch = 0) { return {address, pitch, 0}; }

}  // namespace

TEST_CASE("what a launch stored keeps its maker when it is copied, and loses it when it is overwritten") {
  Lineage lineage(true);
  lineage.launched(launch({{kA, 64, true}}));
  lineage.copied(at(kB), at(kA + 32), {64});  // half of it was stored by the launch
  lineage.set(at(kB + 8), {8});
  const LineageRecord record = lineage.take();
  REQUIRE(record.ranges.size() == 4);
  CHECK(record.ranges[0].end == kA + 64);
  CHECK(record.ranges[0].maker == Maker{0, false});
  CHECK((record.ranges[1].start == kB && record.ranges[1].end == kB + 8));
  CHECK(record.ranges[1].maker == Maker{0, true});
  CHECK((record.ranges[2].start == kB + 16 && record.ranges[2].end == kB + 32));
  CHECK((record.ranges[3].start == kB + 32 && record.ranges[3].end == kB + 64));
  CHECK(record.ranges[3].maker == Maker{Maker::kNone, true});
}

TEST_CASE("rows are copied without the gaps between them") {
  Lineage lineage(true);
  lineage.copied(at(kB, 8), at(kA, 4), {4, 3});
  const LineageRecord record = lineage.take();
  REQUIRE(record.ranges.size() == 3);
  CHECK((record.ranges[2].start == kB + 16 && record.ranges[2].end == kB + 20));
}

TEST_CASE("neighbouring ranges of one maker are one") {
  Lineage lineage(true);
  lineage.copied(at(kB + 4), at(kA), {4});
  lineage.copied(at(kB), at(kA), {4});
  lineage.copied(at(kB + 8), at(kA), {4});
  CHECK(lineage.take().ranges.size() == 1);
}

TEST_CASE("launches depend on those whose results they read, also after copies") {
  Lineage lineage(true);
  lineage.launched(launch({{kA, 64, true}}));
  lineage.launched(launch({{kC, 64, true}}));
  lineage.copied(at(kB), at(kA), {64});
  lineage.launched(launch({{kB + 60, 4, false}, {kC, 64, true}}));
  lineage.launched(launch({{kC, 4, true, true}}));
  const LineageRecord record = lineage.take();
  CHECK(record.sources[2] == std::vector<bool>{true, false});
  CHECK(record.sources[3] == std::vector<bool>{false, false, true});
  CHECK(record.is_hidden == std::vector<bool>{false, false, false, false});
}

TEST_CASE("a launch without a list of accesses is hidden if it accessed memory") {
  Lineage lineage(true);
  lineage.launched(launch({}));
  lineage.launched(LaunchRecord{});
  CHECK(lineage.take().is_hidden == std::vector<bool>{true, false});
}

TEST_CASE("too many ranges end the record") {
  Lineage lineage(true);
  lineage.copied(at(kB, 8), at(kA, 4), {4, Lineage::kMaxRanges + 1});
  lineage.launched(launch({{kA, 64, true}}));
  const LineageRecord record = lineage.take();
  CHECK_FALSE(record.is_complete);
  CHECK(record.ranges.empty());
  CHECK(record.sources.size() == 1);
}

TEST_CASE("nothing is recorded unless it is asked for") {
  Lineage lineage(false);
  lineage.copied(at(kB), at(kA), {64});
  lineage.launched(launch({{kA, 64, true}}));
  const LineageRecord record = lineage.take();
  CHECK(record.ranges.empty());
  CHECK(record.sources.empty());
}

}  // namespace lineage_test
