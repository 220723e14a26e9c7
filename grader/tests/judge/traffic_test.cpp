// Tests that right values computed on the host are distinguished from those that kernels computed.
#include "judge/traffic.hpp"

#include "catch.hpp"
#include "judge/judge.hpp"

namespace traffic_test {

using namespace grader;
using harness::Place;
using testing::contains;

namespace {

constexpr std::uint32_t kElements = 10'000;
constexpr std::uint64_t kBytes = kElements * sizeof(float);

harness::Job job(Place place = Place::device) {
  harness::Job one;
  one.entry = "blur";
  one.inputs = {{{"in", {kElements}, std::vector<float>(kElements)}, place}};
  one.outputs = {{"out", {kElements}, place}};
  return one;
}

/// The traffic of the harness, and a kernel.
CaseRun honest_run() {
  CaseRun run;
  run.end = CaseRun::End::finished;
  run.session.launches.emplace_back();
  run.session.traffic = {kBytes, kBytes};
  return run;
}

}  // namespace

TEST_CASE("the harness's traffic and small constants are accepted") {
  CaseRun run = honest_run();
  run.session.traffic.to_device += 2000;
  run.session.traffic.to_host += 2000;
  CHECK_FALSE(diagnose_traffic(run, job()));
  CHECK_FALSE(diagnose_traffic(CaseRun{}, job()));
}

TEST_CASE("copying inputs back and uploading results are reported") {
  CaseRun fetches = honest_run(), sends = honest_run(), reads = honest_run(), writes = honest_run();
  fetches.session.traffic.to_host += kBytes;
  sends.session.traffic.to_device += kBytes;
  reads.session.traffic.read_from_host = kBytes;
  writes.session.traffic.written_to_host = kBytes;
  CHECK_THAT(diagnose_traffic(fetches, job())->what, contains("40000 bytes came from the device"));
  CHECK_THAT(diagnose_traffic(sends, job())->what, contains("40000 bytes went from the host"));
  CHECK(diagnose_traffic(reads, job()));
  CHECK(diagnose_traffic(writes, job()));
}

TEST_CASE("packed results do not fit, not even three bits per element") {
  CaseRun fetches = honest_run(), sends = honest_run(), sends_next_to_weights = honest_run();
  fetches.session.traffic.to_host += kBytes / 32 * 5;
  sends.session.traffic.to_device += kBytes / 32 * 5;
  CHECK(diagnose_traffic(fetches, job()));
  CHECK(diagnose_traffic(sends, job()));
  harness::Job weighted = job();
  weighted.inputs.push_back({{"weights", {9}, std::vector<float>(9)}, Place::host});
  CHECK(diagnose_traffic(sends, weighted));
}

TEST_CASE("an output that starts as an input in host memory is on the device") {
  harness::Job in_place = job();
  in_place.inputs[0].place = Place::host;
  in_place.outputs[0].starts_as = 0;
  CaseRun run = honest_run();
  CHECK_FALSE(diagnose_traffic(run, in_place));
  run.session.traffic.to_host += kBytes;
  CHECK(diagnose_traffic(run, in_place));
  run = honest_run();
  run.session.traffic.to_device += kBytes;
  CHECK(diagnose_traffic(run, in_place));
}

TEST_CASE("earlier calls can move as many bytes as the last one") {
  constexpr std::uint64_t small = 4096;
  harness::Job two_calls = job();
  two_calls.earlier = {{two_calls.scalars, two_calls.inputs, two_calls.outputs}};
  CaseRun run = honest_run();
  run.session.traffic.to_host += 2 * small;
  CHECK(diagnose_traffic(run, job()));
  CHECK_FALSE(diagnose_traffic(run, two_calls));
  run.session.traffic.to_host += 1;
  CHECK(diagnose_traffic(run, two_calls));
}

TEST_CASE("the harness downloads the outputs of earlier calls with checked results") {
  harness::Job two_calls = job();
  using Values = harness::EarlierCall::Values;
  two_calls.earlier = {{two_calls.scalars, two_calls.inputs, two_calls.outputs, Values::equal_elsewhere}};
  CaseRun run = honest_run();
  run.session.traffic.to_host += kBytes;
  CHECK_FALSE(diagnose_traffic(run, two_calls));
  two_calls.earlier[0].values = Values::other;
  CHECK(diagnose_traffic(run, two_calls));
}

TEST_CASE("memory that is shared but that no kernel accesses is accepted") {
  CaseRun run = honest_run();
  run.session.peak_pinned_bytes = 10 * kBytes;
  CHECK_FALSE(diagnose_traffic(run, job()));
}

TEST_CASE("if arrays are in host memory, they can be uploaded several times") {
  CaseRun run = honest_run();
  run.session.traffic.to_device = 3 * kBytes;
  run.session.traffic.read_from_host = 100 * kBytes;
  CHECK_FALSE(diagnose_traffic(run, job(Place::host)));
  run.session.traffic.to_device = 30 * kBytes;
  CHECK(diagnose_traffic(run, job(Place::pinned)));
}

TEST_CASE("printf left in a kernel is reported as printing, not as copying") {
  CaseRun run = honest_run();
  run.session.traffic.to_host += kBytes;
  run.session.traffic.printed = kBytes;
  const auto found = diagnose_traffic(run, job());
  REQUIRE(found);
  CHECK(found->code == "WG-S27");
  CHECK_THAT(found->what, contains("kernels printed 40000 bytes"));
  CHECK_THAT(found->next_step, contains("take printf out"));
}

TEST_CASE("right values that the host computed are rejected") {
  CaseRun run = honest_run();
  run.session.traffic.to_device += kBytes;
  run.answer.outputs = {{"out", {kElements}, std::vector<float>(kElements, 1)}};
  const std::vector<Expectation> right = {
      {"out", {kElements}, std::vector<double>(kElements, 1), std::vector<double>(kElements, 0), {}}};
  const CaseVerdict verdict = judge_case("case", job(), run, right, {});
  CHECK(verdict.verdict == Verdict::rejected);
  CHECK(verdict.diagnostics.at(0).code == "WG-S27");
  run.forged = "out on the device differs from what was sent";
  CHECK(judge_case("case", job(), run, right, {}).diagnostics.at(0).code == "WG-S28");
}

}  // namespace traffic_test
