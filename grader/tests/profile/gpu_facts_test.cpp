// Counters of both devices next to each other, and what is missing on one of them.
#include "profile/gpu_facts.hpp"

#include "catch.hpp"
#include "profile/logs.hpp"
#include "profile/profile_sample.hpp"

namespace gpu_facts_test {

using namespace grader;
using profile_sample::plain;
using profile_sample::recorded_log;
using testing::contains;

vgpu::LaunchRecord launch_of(const std::string& kernel, std::uint64_t warp_instructions) {
  vgpu::LaunchRecord launch;
  launch.kernel = kernel;
  launch.counters.warp_instructions = warp_instructions;
  return launch;
}

vgpu::cudart::SessionReport recorded_run() {
  vgpu::cudart::SessionReport run;
  run.launches = {launch_of("_ZN36_GLOBAL__N__00000000_4_t_cu_000000006hiddenEPfi", 512),
                  launch_of("_Z5tiledILi32EEvPKfPfi", 1000), launch_of("_Z5tiledILi32EEvPKfPfi", 600)};
  return run;
}

GpuFacts facts_of(const std::string& log, const vgpu::cudart::SessionReport& run) {
  GpuFacts facts;
  facts.gpu = "NVIDIA H100";
  add_measured(facts, read_nsight_log(log), run);
  return facts;
}

TEST_CASE("kernels are paired by their names, also those in anonymous namespaces") {
  const GpuFacts facts = facts_of(recorded_log("ncu.csv"), recorded_run());
  CHECK(facts.problems.empty());
  REQUIRE(facts.kernels.size() == 2);
  const CounterPair& hidden = facts.kernels[0].counters.front();
  CHECK(hidden.name == "warp_instructions");
  CHECK((hidden.ours == 512 && hidden.measured == 512 && hidden.reason.empty()));
  const CounterPair& tiled = facts.kernels[1].counters.front();
  CHECK((tiled.ours == 1600 && tiled.measured == 1600));
  REQUIRE(facts.notes.size() == 1);
  CHECK_THAT(facts.notes[0], contains("not measured on this GPU: ") && contains("flops"));
}

TEST_CASE("a kernel that ran on one device only, and other numbers of launches, are named") {
  auto run = recorded_run();
  run.launches.push_back(launch_of("_Z4lostPf", 1));
  run.launches.pop_back();
  run.launches.back().kernel = "_Z4lostPf";
  const GpuFacts facts = facts_of(recorded_log("ncu.csv"), run);
  REQUIRE(facts.problems.size() == 2);
  CHECK(facts.problems[0].code == "WG-D01");
  CHECK_THAT(facts.problems[0].what, contains("`tiled` was launched 1 time on the virtual GPU and 2 times"));
  CHECK(facts.problems[1].code == "WG-G76");
  CHECK_THAT(facts.problems[1].what, contains("nothing of kernel `lost`"));
  CHECK(facts_of(recorded_log("ncu.csv"), {}).problems.size() == 2);
}

TEST_CASE("a log without kernels is not a clean result") {
  for (const std::string& log :
       {recorded_log("ncu_no_kernel.csv"), std::string("rubbish\n"), std::string()}) {
    const GpuFacts facts = facts_of(log, recorded_run());
    CHECK(facts.problems.size() >= 2);
    CHECK_THAT(gpu_text(facts, plain()), contains("error[WG-G76]: Nsight Compute did not work"));
  }
}

TEST_CASE("the text fits its terminal, and names the reason of a difference once") {
  auto run = recorded_run();
  run.launches[0].counters.warp_instructions = 640;
  run.launches[1].counters.warp_instructions = 900;
  const GpuFacts facts = facts_of(recorded_log("ncu.csv"), run);
  const std::string text = gpu_text(facts, plain());
  CHECK_THAT(text, contains("warp_instructions") && contains("640          512    1.25"));
  const std::string reason = "warp_instructions: PTX instructions are not";
  CHECK(text.find(reason) != std::string::npos);
  CHECK(text.find(reason) == text.rfind(reason));
  const std::string narrow = gpu_text(facts, plain(50));
  for (std::size_t begin = 0; begin < narrow.size(); begin = narrow.find('\n', begin) + 1)
    CHECK(columns(narrow.substr(begin, narrow.find('\n', begin) - begin)) <= 50);
  CHECK_THAT(gpu_markup(facts), contains("id=\"real-gpu\"") && contains("<td>1.25</td>"));
}

TEST_CASE("a permission that is missing has its own advice") {
  CHECK_THAT(tool_problem("Nsight Compute", "ERR_NVGPUCTRPERM - The user does not have permission").next_step,
             contains("administrator"));
}

}  // namespace gpu_facts_test
