// Copies within the device that do the work of kernels are distinguished from those that only move results.
#include "judge/device_copies.hpp"

#include "catch.hpp"

namespace device_copies_test {

using namespace grader;
using testing::contains;
using vgpu::cudart::Maker;

namespace {

constexpr std::uint64_t kOut = 0x1000;
constexpr Maker kInput{Maker::kNone, true}, kResult{0, true};

harness::Job job() {
  harness::Job one;
  one.needs_launch = true;
  one.outputs = {{"out", {8, 8}, harness::Place::device}};
  return one;
}

CaseRun run_with(std::vector<vgpu::cudart::MadeRange> ranges) {
  CaseRun run;
  run.answer.addresses = {kOut};
  run.session.launches.emplace_back();
  run.session.lineage.ranges = std::move(ranges);
  return run;
}

}  // namespace

TEST_CASE("a result that was copied from the inputs is reported with its first element") {
  const auto found = diagnose_device_copies(run_with({{kOut + 32, kOut + 96, kInput}}), job());
  REQUIRE(found);
  CHECK(found->code == "WG-S27");
  CHECK_THAT(found->what, contains("64 of 256 bytes of `out`"));
  CHECK_THAT(found->what, contains("out[1][0]"));
}

TEST_CASE("copies of results, a few elements of the inputs and other memory are accepted") {
  CHECK_FALSE(diagnose_device_copies(run_with({{kOut, kOut + 256, kResult}}), job()));
  CHECK_FALSE(diagnose_device_copies(run_with({{kOut, kOut + 32, kInput}}), job()));
  CHECK_FALSE(diagnose_device_copies(run_with({{kOut - 256, kOut, kInput}, {kOut + 256, kOut + 512, kInput}}),
                                     job()));
  CHECK_FALSE(diagnose_device_copies(CaseRun{}, job()));
}

TEST_CASE("many small pieces are reported, whatever they contain") {
  CaseRun run = run_with({{kOut, kOut + 256, kResult}});
  run.session.device_copies.small_pieces = 64;
  CHECK_FALSE(diagnose_device_copies(run, job()));
  run.session.device_copies.small_pieces = 65;
  CHECK_THAT(diagnose_device_copies(run, job())->what, contains("65 pieces of fewer than 32 bytes"));
}

TEST_CASE("copies count if it is unknown what they copied") {
  CaseRun run = run_with({});
  run.session.lineage.is_complete = false;
  CHECK_FALSE(diagnose_device_copies(run, job()));
  run.session.device_copies.copied_bytes = 256;
  CHECK(diagnose_device_copies(run, job()));
}

TEST_CASE(
    "words that a kernel stored before they were copied are results, also if the launch has no record") {
  CaseRun run = run_with({{kOut, kOut + 256, kInput}});
  run.stored_by = {std::vector<vgpu::StoreLine>(64, 3)};
  CHECK_FALSE(diagnose_device_copies(run, job()));
  std::fill_n(run.stored_by[0].begin() + 8, 16, vgpu::StoreLine{0});
  const auto found = diagnose_device_copies(run, job());
  REQUIRE(found);
  CHECK_THAT(found->what, contains("64 of 256 bytes of `out`"));
  CHECK_THAT(found->what, contains("out[1][0]"));
}

TEST_CASE("a launch that stored enough to a surface can have made what was copied") {
  CaseRun run = run_with({{kOut, kOut + 256, kInput}});
  run.session.launches[0].counters.surface_stores.requested_bytes = 252;
  CHECK(diagnose_device_copies(run, job()));
  run.session.launches[0].counters.surface_stores.requested_bytes = 256;
  CHECK_FALSE(diagnose_device_copies(run, job()));
}

}  // namespace device_copies_test
