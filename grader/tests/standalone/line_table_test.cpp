#include "standalone/line_table.hpp"

#include "base/files.hpp"
#include "catch.hpp"

namespace {

vgpu::LineCounters line(const std::string& file, std::uint32_t number, std::uint64_t warp_instructions) {
  vgpu::LineCounters line{file, number, {}};
  line.counters.warp_instructions = warp_instructions;
  line.counters.thread_instructions = 16 * warp_instructions;
  return line;
}

}  // namespace

TEST_CASE("the busiest line of a kernel comes first, with its text; launches are added up") {
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
  CHECK_THAT(row, testing::contains("75 %") && testing::contains(" 16 ") && testing::contains("second();"));
  CHECK(grader::line_table({}, {}).empty());
}
