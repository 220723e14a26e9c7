// Hosts that decide or compute by values that the device has sent.
#include "judge/host_decisions.hpp"

#include <algorithm>
#include <bit>

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
  run.session.words.to_host = {std::bit_cast<std::uint32_t>(10.0F)};
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
  texture.words.resize(1'000);
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

namespace {

/// A call that uploads the words and gets the result back.
CaseRun run_on_host(std::vector<std::uint32_t> uploaded, std::vector<std::uint32_t> fetched,
                    std::vector<float> result) {
  CaseRun run = run_of({});
  run.session.words.to_device = {std::move(uploaded), {}};
  run.session.words.to_device.pieces = {{run.session.words.to_device.words.size(), 0, false}};
  run.session.words.to_host = std::move(fetched);
  run.answer.outputs = {{"out", {static_cast<std::uint32_t>(result.size())}, std::move(result)}};
  return run;
}

constexpr std::uint32_t kOwn = 0x4123'4567, kOtherOwn = 0x4234'5678;

std::vector<std::uint32_t> words_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> words(values.size());
  std::transform(values.begin(), values.end(), words.begin(),
                 [](float value) { return std::bit_cast<std::uint32_t>(value); });
  return words;
}

}  // namespace

TEST_CASE("values that the host sends of its own must not follow from the arrays") {
  const harness::Job on_host = job_on_host(1);
  const auto fetched = words_of({2.5F});
  const CaseRun run = run_on_host({kOwn}, fetched, {2.5F});
  CHECK(host_can_follow_values(run, on_host));
  CHECK_FALSE(host_can_follow_values(run_on_host({}, fetched, {2.5F}), on_host));
  CHECK(problem_of(run, run_on_host({kOwn}, fetched, {2.5F}), on_host) == "");
  CHECK_THAT(problem_of(run, run_on_host({kOtherOwn}, fetched, {2.5F}), on_host),
             contains("a value that the host copied to the device"));
}

TEST_CASE("a result that the host puts together comes from the same places with other values") {
  const harness::Job on_host = job_on_host(200);
  std::vector<float> candidates(400), other_candidates(400), whole, chosen, other_chosen, other_whole;
  for (std::size_t i = 0; i < 400; ++i) {
    candidates[i] = 0.5F + static_cast<float>(i * 7 % 400) / 1024;
    other_candidates[i] = 0.5F + static_cast<float>(i * 11 % 400) / 2048;
  }
  for (std::size_t i = 0; i < 200; ++i) {
    whole.push_back(candidates[200 + i]);
    other_whole.push_back(other_candidates[200 + i]);
    chosen.push_back(std::min(candidates[i], candidates[200 + i]));
    other_chosen.push_back(std::min(other_candidates[i], other_candidates[200 + i]));
  }
  const auto fetched = words_of(candidates), other_fetched = words_of(other_candidates);
  CHECK_FALSE(host_can_follow_values(run_on_host({}, fetched, whole), on_host));
  const CaseRun selects = run_on_host({}, fetched, chosen);
  CHECK(host_can_follow_values(selects, on_host));
  CHECK_THAT(problem_of(selects, run_on_host({}, other_fetched, other_chosen), on_host),
             contains("from another place"));
  std::vector<float> turned(whole.rbegin(), whole.rend()),
      other_turned(other_whole.rbegin(), other_whole.rend());
  CHECK(problem_of(run_on_host({}, fetched, turned), run_on_host({}, other_fetched, other_turned), on_host) ==
        "");
}

TEST_CASE("words that differ with the same values do not count, unless results could hide in them") {
  const harness::Job small = job_on_host(4);
  CHECK(problem_of(compared_run({launch(1)}, {launch(3)}, small), run_of({launch(2)}), small) == "");
  CHECK(problem_of(compared_run({launch(1)}, {launch(1)}, small), run_of({launch(2)}), small) != "");
  CHECK(problem_of(compared_run({launch(1)}, {upload({3})}, small), run_of({launch(2)}), small) != "");
  CHECK(problem_of(compared_run({launch(1)}, {launch(3)}, job()), run_of({launch(2)})) != "");

  const auto many = [](std::uint32_t parameter) { return std::vector<HostCommand>(40, launch(parameter)); };
  CHECK(problem_of(compared_run(many(1), many(3), small), run_of(many(2)), small) != "");
  const harness::Job medium = job_on_host(4096), large = job_on_host(40 * 256);
  CHECK(problem_of(compared_run(many(1), many(3), medium), run_of(many(2)), medium) != "");
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
