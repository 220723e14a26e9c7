// Numbers that the host must calculate, and that a program measures on the device.
#include "judge/measured_outputs.hpp"

#include <bit>

#include "catch.hpp"

namespace measured_outputs_test {

using namespace grader;
using harness::Element;
using harness::Place;
using testing::contains;

namespace {

harness::Job adding_job() {
  harness::Job one;
  one.inputs = {{{"A", {3}, {1.5F, 2.5F, 3.5F}}}};
  one.outputs = {{"C", {3}}, {"warps", {2}, Place::host, Element::i32}};
  return one;
}

/// A run of adding_job() to which the device has sent these words.
CaseRun run_of(harness::Words fetched) {
  CaseRun run;
  run.session.launches.emplace_back();
  run.answer.outputs = {{"C", {3}, {10.5F, 20.5F, 30.5F}}, {"warps", {2}, {8, 1}}};
  run.session.words.stored_by.assign(fetched.size(), 0);
  run.session.words.is_asked_for.assign(fetched.size(), true);
  run.session.words.to_host = std::move(fetched);
  return run;
}

std::string problem_of(const CaseRun& run, const harness::Job& job = adding_job()) {
  const auto found = diagnose_measured_outputs(run, job);
  if (!found) return "";
  CHECK(found->code == "WG-S27");
  return found->what;
}

std::uint32_t word(float value) { return std::bit_cast<std::uint32_t>(value); }

}  // namespace

TEST_CASE("numbers from the device are reported where the host must calculate") {
  CHECK_THAT(problem_of(run_of({8, 1})), contains("sent the host 2 values") && contains("`warps`"));
  CHECK_THAT(problem_of(run_of({word(10.5F), 1})), contains("1 value of no array"));
}

TEST_CASE("a program may copy arrays back, to print them") {
  CHECK(problem_of(run_of({})).empty());
  CHECK(problem_of(run_of({word(10.5F), word(20.5F), word(3.5F)})).empty());
}

TEST_CASE("of a managed variable, only what a kernel stored is a measurement") {
  CaseRun run = run_of({8, 1});
  run.session.words.is_asked_for = {false, false};
  CHECK(problem_of(run).empty());
  run.session.words.stored_by = {1, 0};
  CHECK_THAT(problem_of(run), contains("1 value"));
}

TEST_CASE("an output that must be copied from the device, or a job without arrays there, is no matter") {
  harness::Job job = adding_job();
  job.outputs[1].is_copied = true;
  CHECK(problem_of(run_of({8, 1}), job).empty());
  job = adding_job();
  job.inputs[0].place = Place::host;
  CHECK(problem_of(run_of({8, 1}), job).empty());
}

TEST_CASE("of earlier calls, whole arrays and what other functions fetch are no measurements") {
  harness::Job job = adding_job();
  job.earlier = {{{}, job.inputs, job.outputs}};
  CaseRun run = run_of({8, 1});
  run.session.calls = {{}, {.fetched_words = 2}};
  CHECK_THAT(problem_of(run, job), contains("2 values"));
  job.earlier[0].outputs = {{"sum", {1}}};
  CHECK(problem_of(run, job).empty());
  job = adding_job();
  job.earlier = {{{}, job.inputs, job.outputs}};
  run = run_of({7, 8, 9, word(20.5F)});
  run.session.calls = {{}, {.fetched_words = 3}};
  CHECK(problem_of(run, job).empty());
}

}  // namespace measured_outputs_test
