// Which runs are repeated with blocks in the opposite order, and what is said about those that differ.
#include "judge/block_order.hpp"

#include "catch.hpp"

namespace block_order_test {

using namespace grader;
using testing::contains;

TEST_CASE("cases are repeated if several blocks or warps communicate, and if they are small") {
  CaseRun run;
  vgpu::LaunchRecord launch;
  launch.grid = {4, 1, 1};
  launch.counters.global_atomics.requests = 4;
  const auto can_depend = [&](const vgpu::LaunchRecord& one) {
    run.session.launches = {one};
    return can_depend_on_order(run);
  };
  CHECK(can_depend(launch));
  vgpu::LaunchRecord other = launch;
  other.grid = {1, 1, 1};
  CHECK_FALSE(can_depend(other));
  other.block = {64, 1, 1};
  CHECK(can_depend(other));
  other.counters = {};
  CHECK_FALSE(can_depend(other));
  other.counters.shared_atomics.requests = 2;
  CHECK(can_depend(other));
  other.block = {32, 1, 1};
  CHECK_FALSE(can_depend(other));
  other = launch;
  other.counters = {};
  CHECK_FALSE(can_depend(other));
  other.has_system_scope = true;  // a volatile flag
  CHECK(can_depend(other));
  other = launch;
  other.grid = {257, 1, 1};
  CHECK_FALSE(can_depend(other));
  other.grid = {256, 1, 1};
  CHECK(can_depend(other));
  run.session.total_counters.warp_instructions = std::uint64_t{1} << 30U;
  CHECK_FALSE(can_depend(launch));
}

TEST_CASE("the message names the first atomic operation") {
  const SourceText source{"k.cu", {"__global__ void k(int* p) {", "  p[atomicAdd(p, 1)] = blockIdx.x;", "}"}};
  const Diagnostic problem = depends_on_order(source, {});
  CHECK(problem.code == "WG-R04");
  REQUIRE(problem.where);
  CHECK(problem.where->line == 2);
  CHECK_THAT(problem.likely_cause, contains("places that a counter gives out"));
}

TEST_CASE("if only turns change the result, the message names the operation that others are built of") {
  SourceText source{"k.cu",
                    {"  atomicAdd(count, 1);", "  int old = *best;", "  atomicCAS(best, old, max(old, x));"}};
  const Diagnostic problem = depends_on_turns(source, {});
  CHECK(problem.code == "WG-R04");
  REQUIRE(problem.where);
  CHECK(problem.where->line == 3);
  CHECK_THAT(problem.likely_cause, contains("one of the two updates is lost"));
  source.lines.pop_back();
  CHECK(depends_on_turns(source, {}).where->line == 1);
}

TEST_CASE("the line is one of the kernel whose blocks communicate") {
  const SourceText source{"k.cu",
                          {"__global__ void other(int* p) {", "  atomicAdd(p, 1);", "}",
                           "__global__ void chain(int* p) {", "  while (atomicAdd(p, 0) != turn) {}", "}"}};
  CaseRun run;
  run.session.launches.resize(1);
  run.session.launches[0].kernel = "_Z5chainPi";
  run.session.launches[0].grid = {4, 1, 1};
  run.session.launches[0].counters.global_atomics.requests = 4;
  CHECK(depends_on_order(source, run).where->line == 5);
  CHECK(depends_on_turns(source, run).where->line == 5);
  CHECK(depends_on_order(source, {}).where->line == 2);
}

TEST_CASE("a line that no kernel of the run has executed is not named") {
  const SourceText source{
      "k.cu",
      {"__global__ void other(int* p) {", "  atomicAdd(p, 1);", "}", "__device__ void add(int* p) {",
       "  atomicAdd(p, 1);", "}", "__global__ void chain(int* p) {", "  add(p);", "}"}};
  CaseRun run;
  run.session.launches.resize(1);
  run.session.launches[0].kernel = "_Z5chainPi";
  run.session.launches[0].grid = {4, 1, 1};
  run.session.launches[0].counters.global_atomics.requests = 4;
  run.session.launches[0].lines = {{"k.cu", 5, {}}, {"k.cu", 8, {}}};
  CHECK(depends_on_turns(source, run).where->line == 5);
  run.session.launches[0].lines = {{"k.cu", 8, {}}};
  CHECK_FALSE(depends_on_turns(source, run).where);
}

TEST_CASE("launches whose blocks wait for others are known, also if they do so in vain") {
  CaseRun run;
  run.session.launches.resize(1);
  CHECK_FALSE(has_waiting_blocks(run));
  run.session.launches[0].blocks_wait = true;
  CHECK(has_waiting_blocks(run));
  CHECK_FALSE(waits_in_vain(run));
  run.session.launches[0] = {};
  vgpu::Fault endless;
  endless.kind = vgpu::FaultKind::step_limit;
  run.session.launches[0].faults = {endless};
  CHECK_FALSE(has_waiting_blocks(run));
  run.session.launches[0].faults[0].detail = vgpu::kWaitsInVain;
  CHECK(waits_in_vain(run));
  CHECK(has_waiting_blocks(run));
}

}  // namespace block_order_test
