#include "standalone/kernel_table.hpp"

#include "catch.hpp"
#include "goldens.hpp"
#include "report/sample.hpp"

TEST_CASE("launches of a kernel are added up, kernels stay in order") {
  vgpu::LaunchRecord first, second;
  first.kernel = "_Z5firstv";
  first.counters.warp_instructions = 700;
  first.counters.global_loads = {2, 8, 256};
  second.kernel = "_Z6secondv";
  grader::ProgramRun run;
  run.programs.resize(1);
  run.programs[0].launches = {first, second, first};
  const std::string table = grader::kernel_table(run, {});
  const std::size_t at = table.find("\nfirst ");
  REQUIRE(at != std::string::npos);
  CHECK(table.find("\nsecond ") > at);
  const std::string row = table.substr(at + 1, table.find('\n', at + 1) - at - 1);
  CHECK_THAT(row, testing::contains(" 2 ") && testing::contains("1,400") && testing::contains(" 4 "));
  CHECK(grader::kernel_table({}, {}).empty());
}

TEST_CASE("the table shows when register counts are estimated") {
  grader::ProgramRun run;
  run.programs.resize(1);
  run.programs[0].launches.resize(2);
  run.programs[0].launches[0].registers_are_estimated = false;
  CHECK_THAT(grader::kernel_table(run, {}), testing::contains("registers estimated"));
  run.programs[0].launches[1].registers_are_estimated = false;
  CHECK_THAT(grader::kernel_table(run, {}), !testing::contains("registers estimated"));
}

TEST_CASE("the table of kernels is as approved: piped, narrow, ASCII, coloured") {
  vgpu::LaunchRecord transpose, fill;
  transpose.kernel = "_Z9transposePKfPfii";
  transpose.counters.warp_instructions = 123'456;
  transpose.counters.thread_instructions = 3'456'789;
  transpose.counters.global_loads = {1000, 4000, 128'000};
  transpose.counters.global_stores = {1000, 32'000, 128'000};
  transpose.counters.shared_loads.requests = 500;
  transpose.counters.shared_loads.wavefronts = 16'000;
  transpose.counters.branches = 300;
  transpose.counters.divergent_branches = 7;
  transpose.time.part_s[0] = 12.5e-6;
  transpose.occupancy.blocks_per_sm = 6;
  fill.kernel = "_Z37a_kernel_with_a_name_that_no_window_holdsv";
  fill.counters.warp_instructions = 12;
  fill.counters.thread_instructions = 384;
  grader::ProgramRun run;
  run.programs.resize(1);
  run.programs[0].launches = {transpose, transpose, fill};
  CHECK(testing::changed_goldens("run-counters", testing::golden, [&](const grader::Terminal& terminal) {
          return grader::kernel_table(run, terminal);
        }) == testing::kNoChange);
}
