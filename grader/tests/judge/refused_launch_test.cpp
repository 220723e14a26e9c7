// Tests when a launch that the device refused explains a wrong result.
#include "judge/refused_launch.hpp"

#include <string>
#include <vector>

#include "catch.hpp"
#include "judge/judge.hpp"

namespace refused_launch_test {

namespace {

using grader::CaseRun;
using grader::harness::Job;
using grader::harness::Place;
using testing::contains;

/// A function that stores `y` in device memory and returns an error, after an earlier call.
Job returning_job() {
  Job job;
  job.entry = "scale";
  job.scalars = {{"n", 2}};
  job.inputs = {{{"x", {2}, {1, 2}}}};
  job.outputs = {{"y", {2}}, {"refused", {1}, Place::host}};
  job.earlier = {{{{"n", 70}}, job.inputs, job.outputs}};
  return job;
}

std::vector<grader::Expectation> expected() {
  return {{.name = "y", .shape = {2}, .values = {1, 2}, .tolerances = {0, 0}},
          {.name = "refused", .shape = {1}, .values = {0}, .tolerances = {0}}};
}

/// Two launches, the first of which is refused, and a wrong value in device memory.
CaseRun wrong_run() {
  CaseRun run;
  run.end = CaseRun::End::finished;
  run.answer.outputs = {{"y", {2}, {1, 7}}, {"refused", {1}, {0}}};
  run.session.launches.resize(2);
  run.session.launches[0].error = vgpu::LaunchError::invalid_configuration;
  run.session.total_counters.global_stores.requested_bytes = 16;
  run.seconds = 1e-6;
  return run;
}

grader::Diagnostic first(const CaseRun& run, const Job& job) {
  return grader::judge_case("case", job, run, expected(), {}).diagnostics.at(0);
}

}  // namespace

TEST_CASE("a refused launch that the function reports does not explain wrong values") {
  CaseRun run = wrong_run();
  Job job = returning_job();
  CHECK(first(run, job).code == "WG-V01");
  run.answer.outputs[1].values = {1};  // the function returns the error of the earlier call
  CHECK(first(run, job).code == "WG-H07");
  run.answer.outputs[1].values = {0};
  run.session.launches.pop_back();  // the refused launch can be that of the checked call
  CHECK(first(run, job).code == "WG-H07");
  job.needs_launch = false;
  CHECK(first(run, job).code == "WG-V01");
}

TEST_CASE("a grid that is too large along y or z is explained by the limit of that direction") {
  const auto cause = [](vgpu::Dim3 grid) {
    CaseRun run = wrong_run();
    run.session.launches.pop_back();
    run.session.launches[0].grid = grid;
    run.session.launches[0].block = {32, 1, 1};
    Job job = returning_job();
    job.earlier.clear();
    return first(run, job);
  };
  CHECK_THAT(cause({1, 65536, 1}).likely_cause, contains("65536 blocks along y; CUDA allows 65,535"));
  CHECK_THAT(cause({1, 65536, 1}).next_step, contains("blockIdx.x"));
  CHECK_THAT(cause({1, 1, 70000}).likely_cause, contains("70000 blocks along z"));
  CHECK_THAT(cause({70000, 65535, 65535}).likely_cause, contains("the block or the shared memory"));
}

TEST_CASE("a block above the kernel's launch bounds is explained by these") {
  CaseRun run = wrong_run();
  run.session.launches.pop_back();
  run.session.launches[0].error = vgpu::LaunchError::above_launch_bounds;
  run.session.launches[0].grid = {2, 1, 1};
  run.session.launches[0].block = {256, 1, 1};
  Job job = returning_job();
  job.earlier.clear();
  CHECK_THAT(first(run, job).likely_cause, contains("__launch_bounds__"));
  CHECK_THAT(first(run, job).next_step, contains("raise that number to 256"));
}

TEST_CASE("calls that launch nothing after a refused launch are explained") {
  CaseRun run = wrong_run();
  run.session.launches.pop_back();
  CHECK_THAT(first(run, returning_job()).likely_cause, contains("calls after it launch nothing"));
}

TEST_CASE("a grid whose size was never set, or a block of a multiprocessor's limit, is explained") {
  const auto cause = [](std::uint32_t blocks, std::uint32_t threads, const std::string& line) {
    vgpu::LaunchRecord launch;
    launch.error = vgpu::LaunchError::invalid_configuration;
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    return grader::refused_launch(launch, {"k.cu", {line}}).likely_cause;
  };
  CHECK_THAT(cause(0xFEFEFEFE, 256, ""), contains("a variable in the launch configuration has no value"));
  CHECK_THAT(cause(2, 0xAAAAAAAA, ""), contains("has no value"));
  CHECK_THAT(cause(2, 2048, "int most = properties.maxThreadsPerMultiProcessor;"),
             contains("comes from maxThreadsPerMultiProcessor (line 1)"));
  CHECK_THAT(cause(2, 2048, "int most = properties.maxThreadsPerBlock;"),
             contains("larger than this device allows"));
}

TEST_CASE("a stream in the place of the bytes of shared memory is explained") {
  vgpu::LaunchRecord launch;
  launch.error = vgpu::LaunchError::invalid_configuration;
  launch.grid = launch.block = {2, 1, 1};
  launch.dynamic_shared_bytes = 0x500000000010;
  CHECK_THAT(grader::refused_launch(launch, {}).likely_cause,
             contains("a stream, a pointer or a negative number"));
  launch.dynamic_shared_bytes = 65536;
  CHECK_THAT(grader::refused_launch(launch, {}).likely_cause, !contains("a stream"));
}

}  // namespace refused_launch_test
