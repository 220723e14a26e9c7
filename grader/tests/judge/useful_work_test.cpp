// Work that the result needs, and work of no use next to it.
#include "judge/useful_work.hpp"

#include <bit>

#include "catch.hpp"

namespace useful_work_test {

using namespace grader;

namespace {

harness::Job job(harness::Place place = harness::Place::host) {
  harness::Job one;
  one.inputs = {{{"in", {4}, {1, 2, 3, 4}}, place}};
  one.outputs = {{"out", {4}, place}};
  return one;
}

/// Operations that run one after another, and a result of four elements that the host has received.
struct Run : CaseRun {
  Run() {
    answer.outputs = {{"out", {4}, {10, 20, 30, 40}}};
    for (const float value : answer.outputs[0].values)
      session.words.to_host.push_back(std::bit_cast<std::uint32_t>(value));
  }
  void add(vgpu::cudart::FlowStep step) {
    step.operation = session.timeline.size();
    vgpu::TimedOperation one;
    one.id = step.operation;
    session.timeline.push_back(one);
    session.work_flow.steps.push_back(std::move(step));
  }
  std::vector<bool> useful(harness::Place place = harness::Place::host) {
    mark_useful_work(*this, job(place));
    std::vector<bool> all;
    for (const vgpu::TimedOperation& one : session.timeline) all.push_back(one.is_useful);
    return all;
  }
};
using Useful = std::vector<bool>;

}  // namespace

TEST_CASE("copies and kernels between inputs and result are useful, fills and kernels next to them are not") {
  Run run;
  run.add({.reads_host = true});                              // 0: copy in
  run.add({});                                                // 1: unused fill
  run.add({});                                                // 2: fill that the kernel reads
  run.add({.sources = {0, 2}});                               // 3: the kernel
  run.add({.sources = {0}});                                  // 4: a kernel whose result is unused
  run.add({.reads_host = true});                              // 5: an unused copy
  run.add({.sources = {3}, .first_word = 0, .end_word = 4});  // 6: copy back
  CHECK(run.useful() == Useful{true, false, false, true, false, false, true});
}

TEST_CASE("a result that is copied to the host twice counts once, and other values do not count") {
  Run run;
  run.add({.reads_host = true});
  run.add({.sources = {0}, .first_word = 0, .end_word = 4});
  run.add({.sources = {0}, .first_word = 0, .end_word = 4});
  run.session.words.to_host.insert(run.session.words.to_host.end(), {1, 2, 3});
  run.add({.sources = {0}, .first_word = 3, .end_word = 7});
  CHECK(run.useful() == Useful{true, true, false, false});
}

TEST_CASE(
    "inputs that are copied to the device twice count once, and what uses the second copy still counts") {
  Run run;
  for (const float value : {1.0F, 2.0F, 3.0F, 4.0F, 3.0F, 4.0F, 7.0F, 8.0F, 9.0F})
    run.session.words.to_device.words.push_back(std::bit_cast<std::uint32_t>(value));
  run.add({.reads_host = true, .first_sent = 0, .end_sent = 4});
  run.add({.reads_host = true, .first_sent = 4, .end_sent = 6});  // again
  run.add({.reads_host = true, .first_sent = 6, .end_sent = 9});  // constants
  run.add({.sources = {0, 1, 2}});
  run.add({.sources = {3}, .first_word = 0, .end_word = 4});
  CHECK(run.useful() == Useful{true, false, true, true, true});
}

TEST_CASE("kernels that hide what they access are not counted, but what they use is") {
  Run run;
  run.add({.reads_host = true});
  run.add({.sources = {0}, .is_hidden = true});
  run.add({.sources = {1}, .first_word = 0, .end_word = 4});
  CHECK(run.useful() == Useful{true, false, true});
}

TEST_CASE("kernels that access the host's memory themselves are useful") {
  Run run;
  run.add({.reads_host = true, .first_word = 0, .end_word = 4});
  CHECK(run.useful() == Useful{true});
}

TEST_CASE("without a record of the work, none is useful, and results in device memory are not judged") {
  Run run;
  run.add({.reads_host = true, .first_word = 0, .end_word = 4});
  run.session.work_flow.steps.clear();
  CHECK(run.useful(harness::Place::device) == Useful{true});
  CHECK(run.useful() == Useful{false});
}

}  // namespace useful_work_test
