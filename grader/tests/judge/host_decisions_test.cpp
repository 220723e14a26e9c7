// Hosts that decide or compute by values that the device has sent.
#include "judge/host_decisions.hpp"

#include "catch.hpp"

namespace host_decisions_test {

using namespace grader;
using testing::contains;
using vgpu::cudart::HostCommand;

namespace {

harness::Job job() {
  harness::Job one;
  one.inputs = {{{"in", {4}, {1, 2, 3, 4}}}};
  one.outputs = {{"sum", {1}}};
  return one;
}

/// With a result that the host takes from the device.
harness::Job counting_job() {
  harness::Job one = job();
  one.outputs = {{"counts", {2}, harness::Place::host, harness::Element::i32}};
  one.outputs[0].is_copied = true;
  return one;
}

HostCommand launch(std::uint32_t parameter, std::uint64_t blocks = 1) {
  return {.kind = HostCommand::Kind::launch,
          .kernel = "_Z3addPfi",
          .shape = {blocks, 1, 1, 32, 1, 1},
          .words = {{7}, {parameter}},
          .parameter_words = 2};
}

HostCommand upload(HostCommand::Word word) {
  return {.kind = HostCommand::Kind::copy_to_device, .kernel = {}, .shape = {4, 0x1000}, .words = {word}};
}

HostCommand download(std::uint64_t place) {
  return {.kind = HostCommand::Kind::copy_to_host, .kernel = {}, .shape = {4, place}, .words = {}};
}

CaseRun run_of(std::vector<HostCommand> commands) {
  CaseRun run;
  run.end = CaseRun::End::finished;
  run.answer.outputs = {{"sum", {1}, {10}}};
  run.session.commands.commands = std::move(commands);
  run.session.launches.resize(1);
  return run;
}

CaseRun counting_run(std::vector<std::uint32_t> fetched, std::vector<float> counts) {
  CaseRun run = run_of({download(0x1000)});
  run.session.words.to_host = std::move(fetched);
  run.answer.outputs = {{"counts", {2}, std::move(counts)}};
  return run;
}

std::string problem_of(const CaseRun& run, const CaseRun& other, const harness::Job& of = job()) {
  const auto found = diagnose_host_decisions(run, other, of);
  if (!found) return "";
  CHECK(found->code == "WG-S27");
  return found->what;
}

}  // namespace

TEST_CASE("a second run is needed only if something was sent after the host had received anything") {
  CHECK_FALSE(host_can_follow_values(run_of({}), job()));
  CHECK_FALSE(host_can_follow_values(run_of({download(0x1000)}), job()));
  CHECK(host_can_follow_values(run_of({launch(1)}), job()));
  CHECK(host_can_follow_values(run_of({}), counting_job()));
}

TEST_CASE("a run on a real GPU, where nothing is recorded, needs no second run") {
  CaseRun run = run_of({});
  run.session.launches.clear();
  CHECK_FALSE(host_can_follow_values(run, counting_job()));
}

TEST_CASE("where arrays are in host memory, a second run is needed if commands have room for results") {
  harness::Job on_host = job();
  on_host.inputs[0].place = harness::Place::host;
  CHECK(host_can_follow_values(run_of({launch(1)}), on_host));
  on_host.outputs[0].shape = {100'000};
  CHECK_FALSE(host_can_follow_values(run_of({launch(1)}), on_host));
  HostCommand texture{.kind = HostCommand::Kind::memory, .kernel = {}, .shape = {1}, .words = {}};
  texture.words.resize(10'000);
  CHECK(host_can_follow_values(run_of({launch(1), texture}), on_host));
  const auto found = problem_of(run_of({launch(1)}), run_of({launch(2)}), on_host);
  CHECK_THAT(found, contains("depends on the values in the arrays: a launch of `add`"));
}

TEST_CASE("a host that asks the same with other values decides nothing") {
  CHECK(problem_of(run_of({launch(1), upload({5}), download(8)}),
                   run_of({launch(1), upload({5}), download(8)})) == "");
}

TEST_CASE("parameters, grids, uploads, places and the number of commands must not follow values") {
  CHECK_THAT(problem_of(run_of({launch(1)}), run_of({launch(2)})),
             contains("a launch of `add`") && contains("0x00000001 from byte 4 of the parameters on"));
  CHECK_THAT(problem_of(run_of({launch(1, 3)}), run_of({launch(1, 4)})), contains("another grid"));
  CHECK_THAT(problem_of(run_of({upload({5})}), run_of({upload({6})})), contains("a copy to the device"));
  CHECK_THAT(problem_of(run_of({download(8)}), run_of({download(12)})), contains("another size or place"));
  CHECK_THAT(problem_of(run_of({launch(1), launch(1)}), run_of({launch(1)})), contains("2 commands, and 1"));
  CHECK_THAT(problem_of(run_of({launch(1)}), run_of({upload({1})})),
             contains("is a copy to the device with"));
}

TEST_CASE("values that the device already had, and memory that no kernel read, do not count") {
  CHECK(problem_of(run_of({upload({5, true})}), run_of({upload({6, true})})) == "");
  CHECK(problem_of(run_of({upload({5, true})}), run_of({upload({5, false})})) == "");
  CHECK(problem_of(run_of({upload({5, true})}), run_of({upload({6, false})})) != "");
  CHECK(problem_of(run_of({upload({5, false, false})}), run_of({upload({6, false, false})})) == "");
  CHECK(problem_of(run_of({upload({5, false, true})}), run_of({upload({6, false, false})})) != "");
}

harness::Job job_on_host(std::uint32_t outputs) {
  harness::Job one = job();
  one.inputs[0].place = harness::Place::host;
  one.outputs = {{"out", {outputs}, harness::Place::host}};
  return one;
}

/// After a run with the same values.
CaseRun compared_run(std::vector<HostCommand> commands, std::vector<HostCommand> again,
                     const harness::Job& of) {
  CaseRun run = run_of(std::move(commands));
  exclude_unsteady_words(run, run_of(std::move(again)), of);
  return run;
}

TEST_CASE("words that differ with the same values do not count, unless results could hide in them") {
  const harness::Job small = job_on_host(4);
  CHECK(problem_of(compared_run({launch(1)}, {launch(3)}, small), run_of({launch(2)}), small) == "");
  CHECK(problem_of(compared_run({launch(1)}, {launch(1)}, small), run_of({launch(2)}), small) != "");
  CHECK(problem_of(compared_run({launch(1)}, {upload({3})}, small), run_of({launch(2)}), small) != "");
  CHECK(problem_of(compared_run({launch(1)}, {launch(3)}, job()), run_of({launch(2)})) != "");

  const auto many = [](std::uint32_t parameter) { return std::vector<HostCommand>(40, launch(parameter)); };
  CHECK(problem_of(compared_run(many(1), many(3), small), run_of(many(2)), small) != "");
  const harness::Job large = job_on_host(4096);
  CHECK(problem_of(compared_run(many(1), many(3), large), run_of(many(2)), large) == "");
}

TEST_CASE("unsteady words do not excuse what else follows values") {
  const harness::Job of = job_on_host(64);
  const CaseRun run = compared_run({launch(1)}, {launch(3)}, of);
  CHECK_THAT(problem_of(run, run_of({launch(2, 2)}), of), contains("another grid"));
  CHECK_THAT(problem_of(run, run_of({launch(2), launch(1)}), of), contains("how often"));
}

TEST_CASE("more commands than can be compared are refused, and a failed second run is the grader's fault") {
  CaseRun many = run_of({launch(1)});
  many.session.commands.is_complete = false;
  CHECK_THAT(problem_of(many, many), contains("than can be compared"));
  CaseRun failed = run_of({});
  failed.end = CaseRun::End::grader_fault;
  const auto found = diagnose_host_decisions(run_of({launch(1)}), failed, job());
  REQUIRE(found);
  CHECK(found->code == "WG-G10");
}

TEST_CASE("a result that the host takes from the device must be in the same place with other values") {
  const CaseRun run = counting_run({10, 11, 12, 13}, {11, 13});
  CHECK(problem_of(run, counting_run({20, 21, 22, 23}, {21, 23}), counting_job()) == "");
  CHECK_THAT(problem_of(run, counting_run({20, 21, 22, 23}, {21, 22}), counting_job()),
             contains("counts[1]"));
  CaseRun shared = counting_run({20, 21, 22, 23}, {21, 22});
  shared.session.traffic.written_to_host = 4;  // places can differ
  CHECK(problem_of(run, shared, counting_job()) == "");
}

}  // namespace host_decisions_test
