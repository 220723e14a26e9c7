// The launches that a result depends on.
#include "judge/producers.hpp"

#include <utility>

#include "catch.hpp"

namespace producers_test {

using namespace grader;
using vgpu::cudart::Maker;

namespace {

constexpr std::uint64_t kOut = 0x1000, kElsewhere = 0x9000;

harness::Job job(harness::Place place = harness::Place::device) {
  harness::Job one;
  one.outputs = {{"out", {64}, place}};
  return one;
}

/// Three launches that stored 256, 32 and 4 bytes.
CaseRun run_of_three() {
  CaseRun run;
  run.answer.addresses = {kOut};
  for (const std::uint64_t bytes : {256U, 32U, 4U}) {
    auto& launch = run.session.launches.emplace_back();
    launch.counters.global_stores = {1, 1, bytes};
    launch.accesses = {{kElsewhere, bytes, true}};
  }
  run.session.lineage.sources = {{}, {false}, {false, false}};
  run.session.lineage.is_hidden = {false, false, false};
  return run;
}

std::vector<std::size_t> launches_of(const Producers& producers) {
  std::vector<std::size_t> launches;
  for (const Producers::One& one : producers.launches) launches.push_back(one.launch);
  return launches;
}
using Launches = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a launch produces the result if its stores are still there") {
  CaseRun run = run_of_three();
  run.session.lineage.ranges = {{kOut - 64, kOut, {1, false}}, {kOut, kOut + 256, {2, true}}};
  const Producers producers = producers_of(run, job());
  CHECK(launches_of(producers) == Launches{2});
  CHECK(producers.launches[0].stored_bytes == 4);
  CHECK(producers.result_bytes == 256);
}

TEST_CASE("a launch that stores to surfaces produces a result") {
  CaseRun run = run_of_three();
  run.session.launches[2].counters.surface_stores.requests =
      std::exchange(run.session.launches[2].counters.global_stores, {}).requests;
  run.session.lineage.ranges = {{kOut, kOut + 256, {2, true}}};
  CHECK(launches_of(producers_of(run, job())) == Launches{2});
  run.session.launches[2].counters.surface_stores.requests = 0;
  CHECK(launches_of(producers_of(run, job())).empty());
}

TEST_CASE("so does a launch whose results a producer read") {
  CaseRun run = run_of_three();
  run.session.lineage.ranges = {{kOut, kOut + 256, {2, false}}};
  run.session.lineage.sources[2] = {false, true};
  CHECK(launches_of(producers_of(run, job())) == Launches{1, 2});
  run.session.lineage.sources[1] = {true};
  CHECK(launches_of(producers_of(run, job())) == Launches{0, 1, 2});
}

TEST_CASE("a launch whose accesses are unknown counts, with all before it") {
  CaseRun run = run_of_three();
  run.session.lineage.ranges = {{kOut, kOut + 256, {2, false}}};
  run.session.lineage.is_hidden[1] = true;
  run.session.launches[1].accesses.clear();
  const Producers producers = producers_of(run, job());
  CHECK(launches_of(producers) == Launches{0, 1, 2});
  CHECK(producers.launches[1].stored_bytes == 32);
}

TEST_CASE("all launches count if it is unknown where the result comes from") {
  CaseRun incomplete = run_of_three(), dropped = run_of_three(), unrecorded = run_of_three();
  incomplete.session.lineage.is_complete = false;
  dropped.session.launches_dropped = 1;
  unrecorded.session.lineage = {};
  for (const CaseRun* run : {&incomplete, &dropped, &unrecorded}) {
    CHECK(launches_of(producers_of(*run, job())) == Launches{0, 1, 2});
    CHECK(producers_of(*run, job()).result_bytes == 0);
  }
  CHECK(launches_of(producers_of(run_of_three(), job(harness::Place::host))) == Launches{0, 1, 2});
}

TEST_CASE("launches that failed never count") {
  CaseRun run = run_of_three();
  run.session.launches[1].error = vgpu::LaunchError::invalid_configuration;
  CHECK(launches_of(every_launch(run.session)) == Launches{0, 2});
}

}  // namespace producers_test
