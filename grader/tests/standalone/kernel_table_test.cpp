#include "standalone/kernel_table.hpp"

#include "catch.hpp"

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
