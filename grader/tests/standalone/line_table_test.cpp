#include "standalone/line_table.hpp"

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "catch.hpp"
#include "standalone/run_json.hpp"

namespace {

vgpu::LineCounters line(const std::string& file, std::uint32_t number, std::uint64_t warp_instructions) {
  vgpu::LineCounters line{file, number, {}};
  line.counters.warp_instructions = warp_instructions;
  line.counters.thread_instructions = 16 * warp_instructions;
  return line;
}

}  // namespace

TEST_CASE("the busiest line of a kernel comes first, with its text, and launches are added up") {
  const grader::TemporaryFolder folder("lines");
  const std::string file = folder.path() / "mine.cu";
  REQUIRE(grader::write_file_atomically(file, "first();\n  second();\n"));
  vgpu::LaunchRecord launch;
  launch.kernel = "_Z4minev";
  launch.lines = {line("", 0, 5), line(file, 1, 20), line(file, 2, 75)};
  grader::ProgramRun run;
  run.programs.resize(1);
  run.programs[0].launches = {launch, launch};
  const std::string table = grader::line_table(run, {.width = 120});
  const std::size_t second = table.find("mine.cu:2"), first = table.find("mine.cu:1");
  REQUIRE(second != std::string::npos);
  CHECK(first > second);
  const std::string row =
      table.substr(table.rfind('\n', second) + 1, table.find('\n', second) - table.rfind('\n', second) - 1);
  CHECK_THAT(row, testing::contains("75 %         150  ") && testing::contains(" 16 ") &&
                      testing::contains("second();"));
  CHECK(grader::line_table({}, {}).empty());
}

TEST_CASE("on a narrow terminal the source has a row of its own below the numbers") {
  const grader::TemporaryFolder folder("lines");
  const std::string file = folder.path() / "mine.cu";
  REQUIRE(grader::write_file_atomically(
      file, "first();\n  tile[threadIdx.y][threadIdx.x] = M[row * k + p * 16 + threadIdx.x];\n"));
  vgpu::LaunchRecord launch;
  launch.kernel = "_Z4minev";
  launch.lines = {line("", 0, 5), line(file, 1, 20), line(file, 2, 75)};
  launch.lines[2].counters.global_loads.requests = 75;
  launch.lines[2].counters.global_loads.sectors = 300;
  launch.lines[2].counters.shared_stores.bank_conflicts = 1200;
  grader::ProgramRun run;
  run.programs.resize(1);
  run.programs[0].launches = {launch};
  CHECK(grader::line_table(run, {.width = 40}) == R"(mine
instr. lanes sectors /req. confl. div. %
  line  source
  75 %    16     300     4  1,200      -
  mine.cu:2  tile[threadIdx.y][threadId…
  20 %    16       -     -      -      -
  mine.cu:1  first();
   5 %    16       -     -      -      -
  -

instr.: share of the kernel's warp
instructions; lanes: active lanes per
instruction, at most 32; sectors, /req.:
global-memory sectors, in total and per
request; confl.: shared-memory bank
conflicts; div.: % of branches that
diverge. Line `-`: code without a line
number
)");
  const std::string wider = grader::line_table(run, {.width = 60});
  CHECK_THAT(wider, testing::contains("\n  75 %    16     300     4  1,200      -\n"
                                      "  mine.cu:2  tile[threadIdx.y][threadIdx.x] = M[row * k + p…\n"));
  // A wide terminal shows everything in one row.
  CHECK_THAT(grader::line_table(run, {.width = 120}),
             testing::contains("mine.cu:2     16      300        4     1,200         -  tile["));
}

TEST_CASE("the JSON report has cache counters for launches, not for lines") {
  vgpu::LaunchRecord launch;
  launch.kernel = "_Z4minev";
  launch.lines = {line("", 0, 5)};
  grader::ProgramRun run;
  run.programs.resize(1);
  run.programs[0].launches = {launch};
  const auto report = nlohmann::json::parse(grader::run_json(run, vgpu::lecture_profile()));
  const auto& reported = report["programs"][0]["launches"][0];
  const auto& of_line = reported["lines"][0]["counters"];
  for (const char* name : {"l1_load_sectors", "dram_bytes", "flops_per_dram_byte"}) {
    CHECK(reported["counters"].contains(name));
    CHECK_FALSE(of_line.contains(name));
  }
  CHECK(of_line["warp_instructions"] == 5);
  CHECK(of_line.contains("flops_per_requested_byte"));
}
