// Correct programs on the virtual GPU: outputs, counters and modelled time arrive; the stop flag and turns
// work.
#include <atomic>
#include <cmath>
#include <thread>

#include "tests/runner/jobs.hpp"
#include "tests/runner/kit.hpp"
#include "vgpu/state/unwritten.hpp"

using namespace grader;
using namespace std::chrono_literals;
using End = CaseRun::End;
using testing::build;
using testing::contains;
using testing::make_runner;
using testing::small_product;
using testing::test_source;

namespace {

std::filesystem::path naive() {
  return std::filesystem::path(WARPGRADE_SOURCE_DIR) / "grader/workloads/tiled_matmul/naive.cu";
}

}  // namespace

TEST_CASE("the naive product runs on the virtual GPU and its result, counters and time arrive") {
  const Runner runner = make_runner();
  const CaseRun run = runner.run(build(runner, naive()), small_product(), vgpu::lecture_profile());
  REQUIRE(run.end == End::finished);
  CHECK(run.fault.empty());
  CHECK(run.answer.problem.empty());
  REQUIRE(run.answer.outputs.size() == 1);
  CHECK(run.answer.outputs[0].values == std::vector<float>{4, 5, 10, 11});
  REQUIRE(run.session.launches.size() == 1);
  CHECK(run.seconds > 0);
  CHECK(run.seconds == run.session.kernel_s);
}

TEST_CASE(
    "earlier calls run in the same process, with arrays of their own, and their results are discarded") {
  const Runner runner = make_runner();
  grader::harness::Job job = small_product();
  job.earlier = {{{{"m", 1}, {"k", 1}, {"n", 1}}, {{"M", {1, 1}, {3}}, {"N", {1, 1}, {5}}}, {{"P", {1, 1}}}}};
  const CaseRun run = runner.run(build(runner, naive()), job, vgpu::lecture_profile());
  CHECK(run.end == End::finished);
  CHECK(run.session.launches.size() == 2);
  REQUIRE(run.answer.outputs.size() == 1);
  CHECK(run.answer.outputs[0].values == std::vector<float>{4, 5, 10, 11});
}

TEST_CASE("every run is a new process: no state passes from one to the next") {
  const Runner runner = make_runner();
  const Built built = build(runner, naive());
  for (int i = 0; i < 3; ++i)
    CHECK(runner.run(built, small_product(), vgpu::lecture_profile()).session.launches.size() == 1);
}

TEST_CASE("outputs that the program does not write hold poison values, in every call") {
  const Runner runner = make_runner();
  const Built once = build(runner, test_source("write_once.cu")), always = build(runner, naive());
  const std::vector<harness::Turn> turns = {{}, {.shown = true}, {}};
  const CaseRun run =
      runner.run_interleaved(always, once, small_product(), turns, turns.size(), vgpu::lecture_profile())
          .second;
  REQUIRE(run.end == End::finished);
  for (const auto& outputs : {run.turns.at(1).outputs, run.answer.outputs})
    for (const float value : outputs.at(0).values) {
      CHECK((std::isnan(value) || std::fabs(value) >= vgpu::kLeastUnwritten));
    }
}

TEST_CASE("a failed runtime call is reported with the call and the error") {
  const Runner runner = make_runner();
  const CaseRun run =
      runner.run(build(runner, test_source("bad_launch.cu")), small_product(), vgpu::lecture_profile());
  REQUIRE(run.end == End::finished);
  CHECK(run.answer.problem ==
        "a launch in tiled_matmul: cudaErrorInvalidConfiguration (invalid configuration argument)");
}

TEST_CASE("memory that the submission leaks is reported with its line, the harness's memory is not") {
  const Runner runner = make_runner();
  const auto run = [&](const std::filesystem::path& source) {
    return runner.run(build(runner, source), small_product(), vgpu::lecture_profile()).session;
  };
  const vgpu::cudart::SessionReport leaking = run(test_source("leaks.cu"));
  CHECK(leaking.live_allocations.size() == 4);  // with the harness's three arrays
  REQUIRE(leaking.memory.size() == 1);
  const auto& [address, memory] = *leaking.memory.begin();
  const vgpu::cudart::HostPlace& place = memory.allocated;
  CHECK(memory.is_lost);
  CHECK(address == leaking.live_allocations.back().start);
  CHECK_THAT(place.file, testing::contains("tiled_matmul.cu"));
  CHECK(place.line == 7);
  CHECK(run(naive()).memory.empty());
}

TEST_CASE("an endless kernel ends at the step limit or with its program") {
  RunnerOptions options = testing::test_options();
  options.step_limit = 1'000'000;
  const Runner limited = make_runner(options);
  const Built built = build(limited, test_source("endless_kernel.cu"));
  const CaseRun by_steps = limited.run(built, small_product(), vgpu::lecture_profile());
  CHECK(by_steps.end == End::finished);
  CHECK_FALSE(by_steps.answer.problem.empty());
  options.step_limit = std::uint64_t{1} << 60U;
  options.run_limits.wall = testing::kShortTime;
  const CaseRun by_time = make_runner(options).run(built, small_product(), vgpu::lecture_profile());
  CHECK(by_time.end == End::wall_limit);
}

TEST_CASE("of two interleaved programs the second answers, each call with its own inputs") {
  const Runner runner = make_runner();
  const Built built = build(runner, naive());
  const std::vector<harness::Turn> turns = {
      {.rotation = 0, .shown = true}, {.rotation = 1, .shown = true}, {.rotation = 6}};
  const auto [first, second] =
      runner.run_interleaved(built, built, small_product(), turns, turns.size(), vgpu::lecture_profile());
  for (const CaseRun* run : {&first, &second}) {
    REQUIRE(run->end == End::finished);
    REQUIRE(run->turns.size() == 3);
    for (const harness::TurnRecord& turn : run->turns) CHECK(turn.wall_s > 0);
  }
  CHECK(first.turns[0].outputs.empty());
  CHECK(first.answer.outputs.empty());
  CHECK(second.turns[0].outputs[0].values == std::vector<float>{4, 5, 10, 11});
  // M = (2 3 4; 5 6 1), N = (0 0; 1 1; 1 1).
  CHECK(second.turns[1].outputs[0].values == std::vector<float>{7, 7, 7, 7});
  CHECK(second.answer.outputs[0].values == std::vector<float>{4, 5, 10, 11});
  CHECK(second.changed_inputs.empty());
}

TEST_CASE("the first of two interleaved programs can leave earlier") {
  const Runner runner = make_runner();
  const Built built = build(runner, naive());
  const std::vector<harness::Turn> turns(5);
  const auto [first, second] =
      runner.run_interleaved(built, built, small_product(), turns, 2, vgpu::lecture_profile());
  REQUIRE(first.end == End::finished);
  CHECK(first.turns.size() == 2);
  REQUIRE(second.end == End::finished);
  CHECK(second.turns.size() == 5);
  CHECK(second.answer.outputs[0].values == std::vector<float>{4, 5, 10, 11});
}

TEST_CASE("a program alone takes its turns, and only its times are requested") {
  const Runner runner = make_runner();
  const std::vector<harness::Turn> turns(2);
  const CaseRun run =
      runner.run_timed(build(runner, naive()), small_product(), turns, vgpu::lecture_profile());
  REQUIRE(run.end == End::finished);
  CHECK(run.turns.size() == 2);
  CHECK(run.answer.outputs.empty());
}

TEST_CASE("a program is called with rotated inputs, and shows each result") {
  const Runner runner = make_runner();
  const std::vector<harness::Turn> turns{{.rotation = 0, .shown = true}, {.rotation = 1, .shown = true}};
  const harness::Job job = small_product();
  const CaseRun run = runner.run_in_turns(build(runner, naive()), job, turns, vgpu::lecture_profile());
  REQUIRE(run.end == End::finished);
  REQUIRE(run.turns.size() == 2);
  CHECK(run.turns[0].outputs[0].values == std::vector<float>{4, 5, 10, 11});
  CHECK(run.turns[1].outputs[0].values != run.turns[0].outputs[0].values);
}

TEST_CASE("a program that waits for the other's endless turn is not blamed") {
  const Runner runner = make_runner(testing::test_options(testing::kShortTime));
  const auto [endless, waiting] =
      runner.run_interleaved(build(runner, test_source("hostile/endless_loop.cu")), build(runner, naive()),
                             small_product(), std::vector<harness::Turn>(1), 1, vgpu::lecture_profile());
  CHECK(endless.end == End::wall_limit);
  CHECK(waiting.end == End::stopped);
}

TEST_CASE("the stop flag ends a run promptly") {
  std::atomic<bool> stop{false};
  RunnerOptions options = testing::test_options();
  options.run_limits.wall = 60s;
  options.stop = &stop;
  const Runner runner = make_runner(options);
  const Built built = build(runner, test_source("hostile/endless_loop.cu"));
  std::thread later([&] {
    std::this_thread::sleep_for(100ms);
    stop = true;
  });
  const auto start = std::chrono::steady_clock::now();
  CHECK(runner.run(built, small_product(), vgpu::lecture_profile()).end == End::stopped);
  CHECK(std::chrono::steady_clock::now() - start < 30s);
  later.join();
}

TEST_CASE("many threads can build and run at the same time") {
  const Runner runner = make_runner();
  std::vector<CaseRun> runs(4);
  std::vector<std::thread> threads;
  for (CaseRun& one : runs)
    threads.emplace_back([&] {
      const auto built = runner.build(naive(), "tiled_matmul.cu");
      if (built) one = runner.run(*built, small_product(), vgpu::lecture_profile());
    });
  for (std::thread& one : threads) one.join();
  for (const CaseRun& one : runs) CHECK(one.end == End::finished);
}

TEST_CASE("without isolation the same programs build and run") {
  const auto front_end = find_front_end(std::nullopt);
  REQUIRE(front_end);
  const Runner runner(testing::kit_paths(), *front_end, Sandbox::without_isolation(),
                      testing::test_options());
  CHECK(runner.run(build(runner, naive()), small_product(), vgpu::lecture_profile()).end == End::finished);
}

TEST_CASE("host code that misses an array in host memory is noticed") {
  const Runner runner = make_runner();
  const Built built = build(runner, test_source("array_edges.cu"));
  const auto run = [&](int to, int from) {
    grader::harness::Job job = small_product();
    job.scalars = {{"m", to}, {"k", from}, {"n", 1}};
    job.inputs[0] = {{"M", {2, 2}, {1, 2, 3, 4}}, grader::harness::Place::host};
    job.outputs[0] = {"P", {3}, grader::harness::Place::host};
    return runner.run(built, job, vgpu::lecture_profile());
  };
  const CaseRun last = run(2, 3);
  REQUIRE(last.end == End::finished);
  CHECK(last.answer.overrun.empty());
  CHECK(last.answer.outputs.at(0).values.at(2) == 4);
  // Reads far before the start stop the program, too; reads of the zone before the start do not.
  for (const int from : {4, 5000, -5000}) {
    const CaseRun read = run(0, from);
    CHECK(read.end == End::crashed);
    CHECK_THAT(read.printed,
               contains("read byte " + std::to_string(4 * from) + " of the 16 bytes of array M") &&
                   contains("crashed at tiled_matmul.cu:4"));
  }
  const CaseRun write = run(4, 0);
  CHECK(write.end == End::crashed);
  CHECK_THAT(write.printed, contains("wrote byte 16 of the 12 bytes of array P"));
  for (const int to : {3, -1, -1000}) CHECK(run(to, 0).answer.overrun == std::vector<std::string>{"P"});
}
