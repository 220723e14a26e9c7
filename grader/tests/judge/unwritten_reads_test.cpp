// Reads of the old contents of outputs.
#include "judge/unwritten_reads.hpp"

#include <bit>
#include <limits>

#include "catch.hpp"
#include "judge/findings.hpp"

namespace unwritten_reads_test {

using namespace grader;
using testing::contains;
using vgpu::Fault;
using vgpu::FaultKind;

namespace {

constexpr std::uint64_t kStart = 0x1000;

harness::Job job() {
  harness::Job one;
  one.entry = "scale";
  one.inputs = {{"in", {2, 3}, {1, 2, 3, 4, 5, 6}}};
  one.outputs = {{"out", {2, 2}}};
  return one;
}

/// The output is the harness's second allocation.
Fault read_of_output() {
  Fault read;
  read.kind = FaultKind::uninitialised_read;
  read.space = vgpu::ptx::Space::global;
  read.kernel = "scale_kernel";
  read.access_bytes = 4;
  read.address = kStart;
  read.nearest = Fault::Nearest{kStart, 16, 0, 2};
  return read;
}

CaseRun run_with(const Fault& finding) {
  CaseRun run;
  run.end = CaseRun::End::finished;
  run.answer.outputs = {{"out", {2, 2}, {1, 2, 3, 4}}};
  run.session.launches.resize(2);
  run.session.launches[1].findings = {finding};
  return run;
}

const std::vector<Expectation> kExpected = {Expectation{"out", {2, 2}, {1, 2, 3, 4}, {0, 0, 0, 0}, {}}};

}  // namespace

TEST_CASE("only reads of outputs whose value is used need another run") {
  Fault read = read_of_output();
  CHECK(reads_old_outputs(run_with(read), job()));
  read.is_harmless = true;
  CHECK_FALSE(reads_old_outputs(run_with(read), job()));
  read = read_of_output();
  read.nearest->ordinal = 3;  // of the program
  CHECK_FALSE(reads_old_outputs(run_with(read), job()));
  read = read_of_output();
  read.kind = FaultKind::global_race;
  CHECK_FALSE(reads_old_outputs(run_with(read), job()));
}

TEST_CASE("reads that change no result are dropped, other findings stay") {
  CaseRun run = run_with(read_of_output());
  Fault race = read_of_output();
  race.kind = FaultKind::global_race;
  run.session.launches[1].findings.push_back(race);
  CHECK(is_decisive(run.session.launches[1].findings[0], job()));
  drop_reads_of_old_outputs(run, job());
  REQUIRE(run.session.launches[1].findings.size() == 1);
  CHECK(run.session.launches[1].findings[0].kind == FaultKind::global_race);
}

TEST_CASE("outputs are right if the run has ended well and all values are as expected") {
  CaseRun run = run_with(read_of_output());
  CHECK(has_right_outputs(job(), run, kExpected));
  run.answer.outputs[0].values[3] = 5;
  CHECK_FALSE(has_right_outputs(job(), run, kExpected));
  run = run_with(read_of_output());
  run.answer.outputs[0].shape = {4};
  CHECK_FALSE(has_right_outputs(job(), run, kExpected));
  run = run_with(read_of_output());
  run.forged = "element 0";
  CHECK_FALSE(has_right_outputs(job(), run, kExpected));
  run = run_with(read_of_output());
  run.end = CaseRun::End::crashed;
  CHECK_FALSE(has_right_outputs(job(), run, kExpected));
}

TEST_CASE("the old contents include 0 and the extreme finite floats") {
  using Limits = std::numeric_limits<float>;
  std::vector<float> floats;
  for (const std::uint32_t word : kOldContents) floats.push_back(std::bit_cast<float>(word));
  CHECK(floats == std::vector<float>{0, Limits::max(), Limits::lowest()});
}

TEST_CASE("memory of which only a part was written is described by how much of it") {
  Fault read = read_of_output();
  read.nearest = Fault::Nearest{kStart + 4096, 1024, 0, 5};
  read.address = kStart + 4096 + 256;
  read.written_bytes = 256;
  CHECK_THAT(diagnose_finding(read, job(), {}, {}).likely_cause,
             contains("only 256 of the 1024 bytes of this memory have been written"));
  read.written_bytes = 0;
  CHECK_THAT(diagnose_finding(read, job(), {}, {}).likely_cause, contains("neither copied to nor cleared"));
}

}  // namespace unwritten_reads_test
