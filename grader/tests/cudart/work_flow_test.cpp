// Which work uses the results of which other work.
#include "vgpu/cudart/device_side/work_flow.hpp"

#include "catch.hpp"

namespace work_flow_test {

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

constexpr std::uint64_t kA = 0x1000, kB = 0x2000, kC = 0x3000;
using Sources = std::vector<std::uint32_t>;

LaunchRecord launch(std::vector<MemoryAccess> accesses) {
  LaunchRecord record;
  record.accesses = std::move(accesses);
  record.counters.global_stores.requests = 1;
  return record;
}

}  // namespace

TEST_CASE("work depends on what wrote last the bytes that it reads, not on itself") {
  WorkFlow flow(true);
  flow.begin(10);
  flow.read_host();
  flow.access({{kA, 64, true}});
  flow.begin(11);
  flow.access({{kA + 32, 32, true}});  // overwrites one half
  flow.begin(12);
  flow.launched(launch({{kC, 8, true}, {kA, 32, false}, {kC, 8, false}}));
  flow.begin(13);
  flow.launched(launch({{kA, 64, false}, {kB, 64, true}}));
  flow.begin(14);
  flow.access({{kB, 64, false}});
  flow.delivered(0, 16);
  const WorkFlowRecord record = flow.take();
  REQUIRE(record.steps.size() == 5);
  CHECK(record.steps[0].reads_host);
  CHECK(record.steps[1].sources == Sources{});
  CHECK(record.steps[2].sources == Sources{0});
  CHECK(record.steps[3].sources == Sources{0, 1});
  CHECK(record.steps[4].sources == Sources{3});
  CHECK(record.steps[4].operation == 14);
  CHECK((record.steps[4].first_word == 0 && record.steps[4].end_word == 16));
}

TEST_CASE("a kernel that fetches texels depends on what wrote the textures, any other one does not") {
  WorkFlow flow(true);
  flow.bind(kA, 64);
  flow.begin(10);
  flow.access({{kA, 64, true}});
  flow.begin(11);
  flow.access({{kB, 64, true}});
  vgpu::LaunchRecord fetching = launch({{kC, 8, true}});
  flow.begin(12);
  flow.launched(fetching);
  fetching.counters.texture_fetches.requests = 1;
  flow.begin(13);
  flow.launched(fetching);
  const WorkFlowRecord record = flow.take();
  CHECK(record.steps[2].sources == Sources{});
  CHECK(record.steps[3].sources == Sources{0});
}

TEST_CASE("the pieces of a copy are one step") {
  WorkFlow flow(true);
  flow.begin(0);
  flow.access({{kA, 8, true}});
  flow.sent(10, 12);
  flow.access({{kA + 8, 8, true}});
  flow.sent(12, 14);
  flow.begin(1);
  flow.access({{kA, 8, false}});
  flow.delivered(4, 6);
  flow.access({{kA + 8, 8, false}});
  flow.delivered(6, 8);
  const WorkFlowRecord record = flow.take();
  CHECK((record.steps[0].first_sent == 10 && record.steps[0].end_sent == 14));
  CHECK(record.steps[1].sources == Sources{0});
  CHECK((record.steps[1].first_word == 4 && record.steps[1].end_word == 8));
}

TEST_CASE("a kernel with too many accesses depends on everything, and all later reads depend on it") {
  WorkFlow flow(true);
  flow.begin(0);
  flow.access({{kA, 8, true}});
  flow.begin(1);
  flow.launched(launch({}));
  flow.begin(2);
  flow.access({{kC, 8, false}});
  const WorkFlowRecord record = flow.take();
  CHECK(record.steps[1].is_hidden);
  CHECK(record.steps[1].sources == Sources{0});
  CHECK(record.steps[2].sources == Sources{1});
}

TEST_CASE("nothing is recorded if the record is off") {
  WorkFlow off(false);
  off.begin(0);
  off.access({{kA, 8, true}});
  CHECK(off.take().steps.empty());
}

TEST_CASE("after writes to too many places, all later reads use the results of all earlier work") {
  WorkFlow flow(true);
  const auto upload = [&](std::uint64_t start) {  // of short rows, which leave gaps for another upload
    std::vector<MemoryAccess> rows;
    for (std::uint64_t i = 0; i < WorkFlow::kMaxRanges; ++i) rows.push_back({start + 8 * i, 4, true});
    flow.begin(0);
    flow.read_host();
    flow.access(rows);
  };
  upload(0);
  upload(4);
  flow.begin(2);
  flow.launched(launch({{0, 8, false}, {0, 4, true}}));
  flow.begin(3);
  flow.access({{0, 4, false}});
  const WorkFlowRecord record = flow.take();
  REQUIRE(record.steps.size() == 4);
  CHECK(record.steps[1].sources == Sources{0});
  CHECK(record.steps[2].sources == Sources{1});
  CHECK(record.steps[3].sources == Sources{1, 2});
}

TEST_CASE("the number of sources is bounded, and every step still depends on all earlier ones") {
  WorkFlow flow(true);
  constexpr std::uint64_t kSteps = 2048;  // without the bound, about 2 million sources
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    flow.begin(i);
    flow.access({{kA, 8 * i + 1, false}, {kA + 8 * i, 8, true}});
  }
  const WorkFlowRecord record = flow.take();
  std::size_t sources = 0;
  for (const FlowStep& step : record.steps) sources += step.sources.size();
  CHECK(sources < WorkFlow::kMaxSources + 2 * kSteps);
  CHECK(record.steps.back().sources == Sources{kSteps - 2});
}

}  // namespace work_flow_test
