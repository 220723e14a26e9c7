// GPUs, probes and runs are simulated.
#include "runner/gpu_runs.hpp"

#include <atomic>
#include <thread>

#include "base/files.hpp"
#include "catch.hpp"

using namespace grader;
using End = CaseRun::End;

namespace {

std::vector<CaseRun> ended(End end, const std::string& problem = "") {
  CaseRun run;
  run.end = end;
  run.answer.problem = problem;
  return {run};
}

struct Machine {
  const TemporaryFolder folder{"warpgrade-test"};
  std::string sick;
  std::atomic<int> probes{0};
  GpuRuns gpus{{"GPU-a", "GPU-b"},
               [this](const std::string& gpu) {
                 ++probes;
                 return std::string(gpu == sick ? "does not answer" : "");
               },
               folder.path()};
};

}  // namespace

TEST_CASE("a GPU is probed after a kill, a crash and a failed call, not after a finished run") {
  Machine machine;
  for (const End end : {End::finished, End::no_entry, End::stopped})
    REQUIRE(
        *machine.gpus.run(GpuRuns::Use::shared, [&](const std::string&, const auto&) { return ended(end); }));
  CHECK(machine.probes == 0);
  for (const End end : {End::wall_limit, End::cpu_limit, End::memory_limit, End::crashed, End::exited,
                        End::channel_broken, End::grader_fault})
    REQUIRE(
        *machine.gpus.run(GpuRuns::Use::shared, [&](const std::string&, const auto&) { return ended(end); }));
  REQUIRE(*machine.gpus.run(GpuRuns::Use::alone, [&](const std::string&, const auto&) {
    return ended(End::finished, "cudaMalloc");
  }));
  CHECK(machine.probes == 8);
  CHECK(machine.gpus.lost().empty());
}

TEST_CASE("a run's result counts if the GPU is healthy afterwards") {
  Machine machine;
  const auto runs = machine.gpus.run(GpuRuns::Use::shared,
                                     [](const std::string&, const auto&) { return ended(End::wall_limit); });
  REQUIRE(runs);
  REQUIRE(*runs);
  CHECK((*runs)->front().end == End::wall_limit);
}

TEST_CASE("an unhealthy GPU gets no more work, and its last run is repeated on another") {
  Machine machine;
  machine.sick = "GPU-a";
  std::vector<std::string> used;
  const auto work = [&](const std::string& gpu, const auto&) {
    used.push_back(gpu);
    return ended(gpu == "GPU-a" ? End::wall_limit : End::finished);
  };
  const auto runs = machine.gpus.run(GpuRuns::Use::alone, work);
  REQUIRE(runs);
  REQUIRE(*runs);
  CHECK((*runs)->front().end == End::finished);
  machine.gpus.run(GpuRuns::Use::shared, work);
  CHECK(used == std::vector<std::string>{"GPU-a", "GPU-b", "GPU-b"});
  REQUIRE(machine.gpus.lost().size() == 1);
  CHECK(machine.gpus.lost().front().gpu == "GPU-a");

  machine.sick = "GPU-b";
  const auto none = machine.gpus.run(GpuRuns::Use::shared,
                                     [](const std::string&, const auto&) { return ended(End::crashed); });
  REQUIRE(none);
  CHECK_FALSE(*none);
  CHECK(machine.gpus.lost().size() == 2);
}

TEST_CASE("a measurement is alone on its GPU, while another GPU does other work") {
  using Use = GpuRuns::Use;
  Machine machine;
  std::map<std::string, std::atomic<int>> busy;
  busy["GPU-a"] = 0, busy["GPU-b"] = 0;
  std::atomic<int> disturbed{0};
  const auto measure = [&](const std::string& gpu) {
    if (busy.at(gpu)++ > 0) ++disturbed;
    std::this_thread::yield();
    if (--busy.at(gpu) > 0) ++disturbed;
  };
  const auto work_alone = [&](const std::string& gpu, const auto&) {
    measure(gpu);
    return ended(End::finished);
  };
  const auto work_with_others = [&](const std::string& gpu, const auto&) {
    ++busy.at(gpu);
    std::this_thread::yield();
    --busy.at(gpu);
    return ended(End::finished);
  };
  // It starts while others work, and measures after that.
  const auto become_alone = [&](const std::string& gpu, const GpuRuns::BecomeAlone& waits) {
    work_with_others(gpu, 0);
    if (!waits()) ++disturbed;
    measure(gpu);
    return ended(End::finished);
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i)
      threads.emplace_back([&, i] {
        const GpuRuns::Work work = i % 3 == 0   ? GpuRuns::Work(work_alone)
                                   : i % 3 == 1 ? GpuRuns::Work(work_with_others)
                                                : GpuRuns::Work(become_alone);
        for (int k = 0; k < 20; ++k) machine.gpus.run(i % 3 == 0 ? Use::alone : Use::shared, work);
      });
  }
  CHECK(disturbed == 0);
}

TEST_CASE("a GPU that cannot be locked is an error of the machine, not a run") {
  GpuRuns gpus(
      {"GPU-a"}, [](const std::string&) { return std::string(); }, "/dev/null/locks");
  const auto runs =
      gpus.run(GpuRuns::Use::shared, [](const std::string&, const auto&) { return ended(End::finished); });
  REQUIRE_FALSE(runs);
  CHECK_THAT(runs.error(), testing::contains("cannot be locked"));
}
