#include "judge/clues.hpp"

#include "catch.hpp"

namespace clues_test {

using namespace grader;
using testing::contains;
using vgpu::cudart::SessionReport;

namespace {

const harness::Job kJob{.entry = "f"};
const SourceText kSource{"k.cu",
                         {"__global__ void k(float* a) {",  // 1
                          "  float sum = a[0];",            // 2
                          "  a[threadIdx.x] = sum;",        // 3
                          "}",                              // 4
                          "  cudaMalloc(&a, 4);",           // 5
                          "  k <<<1, 2>>>(a);"}};           // 6

vgpu::LineCounters line(std::uint32_t number, std::uint64_t instructions, std::uint64_t sectors,
                        const char* file = "/box/k.cu") {
  vgpu::Counters counted;
  counted.warp_instructions = instructions;
  counted.thread_instructions = 16 * instructions;
  counted.global_loads.sectors = sectors;
  return {file, number, counted};
}

SessionReport session() {
  SessionReport report;
  report.launches.resize(2);
  for (auto& launch : report.launches) {
    launch.kernel = "_Z1kPf";
    launch.lines = {line(0, 90, 90), line(2, 2, 8), line(3, 6, 5), line(7, 99, 99, "/usr/include/a.h")};
  }
  return report;
}

int line_of(const char* counter, const SessionReport& report = session()) {
  const auto clue = find_clue(report, every_launch(report), counter, kSource, kJob);
  return clue && clue->where ? clue->where->line : 0;
}

}  // namespace

TEST_CASE("a count has the student's line with its largest part") {
  CHECK(line_of("warp_instructions") == 3);
  CHECK(line_of("active_lanes_per_instruction") == 3);
  CHECK(line_of("compute_s") == 3);
  CHECK(line_of("global_load_sectors") == 2);
  CHECK(line_of("global_load_sectors_per_request") == 2);
  CHECK(line_of("dram_bytes") == 2);
  CHECK(line_of("barriers") == 0);
  CHECK(line_of("peak_device_bytes") == 0);
}

TEST_CASE("extents have the line of the launch, memory that is not freed that of its allocation") {
  CHECK(line_of("grid_blocks") == 6);
  CHECK(line_of("grid_blocks", {}) == 0);
  SessionReport report = session();
  for (auto& launch : report.launches) {
    launch.grid = {40, 1, 1};
    launch.working_blocks = 3;
  }
  CHECK_THAT(find_clue(report, every_launch(report), "grid_blocks", kSource, kJob)->likely_cause,
             contains("has 40 blocks, but only 3 of them count"));
  for (auto& launch : report.launches) launch.working_blocks = 40;
  CHECK(find_clue(report, every_launch(report), "grid_blocks", kSource, kJob)->likely_cause.empty());
  for (auto& launch : report.launches) {
    launch.dynamic_shared_bytes = 1024;
    launch.shared_use.dynamic_bytes = 512;
  }
  CHECK_THAT(
      find_clue(report, every_launch(report), "dynamic_shared_bytes_used", kSource, kJob)->likely_cause,
      contains(
          "requests 1024 bytes of dynamic shared memory, of which the kernel writes and reads only 512"));
  for (auto& launch : report.launches) launch.dynamic_shared_bytes = 512;
  CHECK(find_clue(report, every_launch(report), "dynamic_shared_bytes_used", kSource, kJob)
            ->likely_cause.empty());
  CHECK(line_of("unfreed_resources", report) == 0);
  report.memory[256].allocated = {"/box/k.cu", 5, "f"};
  CHECK(line_of("unfreed_resources", report) == 5);
  report.live_host_regions = 1;
  report.live.streams = 3;
  report.live_allocations = {{256, 4, 1}, {512, 8, 2}};
  CHECK_THAT(find_clue(report, {}, "unfreed_resources", kSource, kJob)->likely_cause,
             contains("destroyed: 2 blocks of device memory, 1 region of pinned memory, 3 streams"));
  const auto memory = find_clue(report, {}, "unfreed_memory", kSource, kJob);
  CHECK_THAT(memory->likely_cause, contains("1 region of pinned memory") && !contains("streams"));
  CHECK(grader::explains(memory->counter));
  report.memory[256].freed = {"/box/k.cu", 6, "f"};
  CHECK(line_of("unfreed_resources", report) == 0);
}

TEST_CASE("blocks without work are named where work is too slow, partial blocks at the edge are not") {
  const auto cause = [](vgpu::Dim3 grid, std::uint64_t working, std::uint64_t words,
                        const char* counter = "compute_s") {
    SessionReport report = session();
    report.launches.resize(1);
    report.launches[0].grid = grid;
    report.launches[0].block = {64, 1, 1};
    report.launches[0].working_blocks = working;
    report.launches[0].accesses = {{4096, 4 * words, true, false}};
    Diagnostic problem;
    problem.likely_cause = "instructions limit the speed";
    problem.next_step = "x";
    add_clue(problem, find_clue(report, every_launch(report), counter, kSource, kJob).value());
    CHECK(has_surplus(problem) == (problem.next_step != "x"));
    return problem.likely_cause;
  };
  CHECK_THAT(cause({8, 36, 1}, 64, 65472),
             contains("224 of the 288 blocks that line 6 launches do less than half") &&
                 contains("; instructions limit the speed"));
  CHECK_THAT(cause({5, 5, 1}, 16, 256 * 256), contains("9 of the 25 blocks"));
  CHECK_THAT(cause({5, 5, 1}, 16, 264 * 264), !contains("blocks"));  // partial ones along both edges
  CHECK_THAT(cause({5, 5, 1}, 25, 320 * 320), !contains("blocks"));
  CHECK_THAT(cause({2, 1, 1}, 1, 65), !contains("blocks"));
  CHECK_THAT(cause({8, 36, 1}, 64, 65472, "dram_bytes"), !contains("blocks"));
}

TEST_CASE("the launch that an extent names is one that produces the result") {
  const SourceText source{"k.cu", {"useless<<<1, 2>>>(a);", "k<<<1, 2>>>(a);"}};
  SessionReport report = session();
  report.launches[0].kernel = "_Z7uselessPf";
  report.launches[0].counters.thread_instructions = 100;
  const Producers second{.launches = {{.launch = 1}}, .result_bytes = 4};
  CHECK(find_clue(report, every_launch(report), "grid_blocks", source, kJob).value().where->line == 1);
  CHECK(find_clue(report, second, "grid_blocks", source, kJob).value().where->line == 2);
  CHECK_FALSE(find_clue(report, {}, "grid_blocks", source, kJob));
}

TEST_CASE("a clue gives a diagnostic its line and says why it is this line") {
  Diagnostic problem;
  problem.first = "x";
  add_clue(problem, find_clue(session(), every_launch(session()), "grid_blocks", kSource, kJob).value());
  CHECK(problem.first == "x; launched by this line");
  CHECK(problem.source_line == kSource.lines[5]);
  add_clue(problem, {});
  CHECK(problem.where->line == 6);
}

TEST_CASE("an array in shared memory that no result needs is named") {
  const SourceText source{"k.cu",
                          {"__global__ void k(float* a) {",                       // 1
                           "  __shared__ float tile[32];",                        // 2
                           "  tile[threadIdx.x] = a[threadIdx.x], a[0] = a[1];",  // 3
                           "}"}};                                                 // 4
  const SessionReport report = session();
  const auto unused = find_clue(report, every_launch(report), "change_by_shared_loads", source, kJob);
  REQUIRE(unused);
  CHECK(unused->where == SourceLocation{"k.cu", 2});
  CHECK_THAT(unused->likely_cause, contains("never loads from it"));
}

}  // namespace clues_test
