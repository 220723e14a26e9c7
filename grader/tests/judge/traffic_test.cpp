// Right values that were computed on the host are told from those of kernels.
#include "judge/traffic.hpp"

#include "catch.hpp"
#include "judge/judge.hpp"

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

/// What the harness moves, and a kernel that reads and writes everything.
CaseRun honest_run() {
  CaseRun run;
  run.end = CaseRun::End::finished;
  run.session.launches.emplace_back();
  run.session.traffic = {kBytes, kBytes};
  run.session.total_counters.global_loads.requested_bytes = kBytes;
  run.session.total_counters.global_stores.requested_bytes = kBytes;
  return run;
}

}  // namespace

TEST_CASE("what the harness moves and small constants are no cheat") {
  CaseRun run = honest_run();
  run.session.traffic.to_device += 2000;
  run.session.traffic.to_host += 2000;
  CHECK_FALSE(diagnose_traffic(run, job()));
  CHECK_FALSE(diagnose_traffic(CaseRun{}, job()));
}

TEST_CASE("inputs that come back and results that are uploaded are told") {
  CaseRun fetches = honest_run(), sends = honest_run(), shares = honest_run();
  fetches.session.traffic.to_host += kBytes;
  sends.session.traffic.to_device += kBytes;
  shares.session.peak_pinned_bytes = kBytes;
  CHECK_THAT(diagnose_traffic(fetches, job())->what, contains("40000 bytes came from the device"));
  CHECK_THAT(diagnose_traffic(sends, job())->what, contains("40000 bytes went from the host"));
  CHECK(diagnose_traffic(shares, job()));
}

TEST_CASE("where arrays lie on the host, copies are the task, and kernels must have touched the data") {
  CaseRun run = honest_run();
  run.session.peak_pinned_bytes = 2 * kBytes;
  CHECK_FALSE(diagnose_traffic(run, job(Place::host)));
  run.session.total_counters.global_loads.requested_bytes = 4;
  CHECK_THAT(diagnose_traffic(run, job(Place::host))->what,
             contains("the kernels read 4 and wrote 40000 bytes"));
  run = honest_run();
  run.session.traffic.to_device = 3 * kBytes;
  CHECK(diagnose_traffic(run, job(Place::pinned)));
}

TEST_CASE("who only left printf in a kernel is not accused of copying") {
  CaseRun run = honest_run();
  run.session.traffic.to_host += kBytes;
  run.session.traffic.printed = kBytes;
  const auto found = diagnose_traffic(run, job());
  REQUIRE(found);
  CHECK(found->code == "WG-S27");
  CHECK_THAT(found->what, contains("kernels printed 40000 bytes"));
  CHECK_THAT(found->next_step, contains("take printf out"));
}

TEST_CASE("right values of a cheat are rejected, wrong ones are wrong") {
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
