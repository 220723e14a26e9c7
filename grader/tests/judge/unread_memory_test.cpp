// Results of a kernel that the next one does not read.
#include "judge/unread_memory.hpp"

#include "catch.hpp"

namespace unread_memory_test {

using namespace grader;

namespace {

constexpr std::uint64_t kOut = 0x1000;

/// Two launches of a kernel, of which the second stored the output.
CaseRun run_of_two(bool second_reads_first) {
  CaseRun run;
  run.answer.addresses = {kOut};
  for (int i = 0; i < 2; ++i) {
    auto& launch = run.session.launches.emplace_back();
    launch.kernel = "_Z3addPKfPf";
    launch.counters.global_stores = {1, 1, 4};
  }
  run.session.lineage.sources = {{}, {second_reads_first}};
  run.session.lineage.is_hidden = {false, false};
  run.session.lineage.ranges = {{kOut, kOut + 4, {1, true}}};
  return run;
}

harness::Job job() {
  harness::Job one;
  one.outputs = {{"sum", {1}, harness::Place::device}};
  return one;
}

}  // namespace

TEST_CASE("a launch whose results the next one does not read is named") {
  CHECK(
      unread_memory(run_of_two(false), job()) ==
      "no kernel reads what launch 1 of `add` stores: launch 2 of `add`, which follows, reads another array");
  CaseRun two_kernels = run_of_two(false);
  two_kernels.session.launches[0].kernel = "_Z5firstPf";
  CHECK(unread_memory(two_kernels, job()) ==
        "no kernel reads what `first` stores: `add`, which follows, reads another array");
}

TEST_CASE("results that are read, or whose readers are unknown, are not named") {
  CHECK_FALSE(unread_memory(run_of_two(true), job()));
  CaseRun hidden = run_of_two(false);
  hidden.session.lineage.is_hidden[1] = true;
  CHECK_FALSE(unread_memory(hidden, job()));
  CaseRun idle = run_of_two(false);
  idle.session.launches[0].counters.global_stores = {};
  CHECK_FALSE(unread_memory(idle, job()));
  harness::Job of_host = job();
  of_host.outputs[0].place = harness::Place::host;
  CHECK_FALSE(unread_memory(run_of_two(false), of_host));
}

}  // namespace unread_memory_test
