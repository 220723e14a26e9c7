// Inputs are compared with what was given, bit for bit; those on the virtual GPU in the grader's process.
#include "runner/changed_inputs.hpp"

#include <cmath>
#include <limits>
#include <span>

#include "harness/elements.hpp"
#include "tests/runner/jobs.hpp"
#include "tests/runner/kit.hpp"

namespace changed_inputs_test {

using namespace grader;
using harness::Place;
using testing::small_product;

namespace {

/// A device with the inputs M and N of small_product().
struct Fixture {
  harness::Job job = small_product();
  vgpu::Device device{vgpu::lecture_profile()};
  harness::Answer answer;

  Fixture() {
    for (const harness::Input& one : job.inputs) {
      const harness::Words words = harness::encoded(one.values, one.element);
      answer.inputs.push_back({device.allocate(words.size() * 4).value(), {}});
      device.write(answer.inputs.back().address, std::as_bytes(std::span(words)));
    }
  }
  void put(std::size_t input, std::size_t element, float value) {
    device.write(answer.inputs[input].address + 4 * element, std::as_bytes(std::span(&value, 1)));
  }
  std::vector<ChangedInput> changed(std::uint64_t rotation = 0) {
    CHECK(read_inputs(job, device, answer).empty());
    return changed_inputs(job, answer, rotation, &device);
  }
};

}  // namespace

TEST_CASE("inputs that hold what was given are unchanged, also NaN and negative zero") {
  Fixture f;
  CHECK(f.changed().empty());
  f.job.inputs[0].values[2] = std::numeric_limits<float>::quiet_NaN();
  f.job.inputs[0].values[3] = -0.0F;
  f.put(0, 2, std::numeric_limits<float>::quiet_NaN());
  f.put(0, 3, -0.0F);
  CHECK(f.changed().empty());
  f.put(0, 3, 0.0F);
  CHECK(f.changed().size() == 1);
}

TEST_CASE("a changed input is named with its first changed element") {
  Fixture f;
  f.put(1, 4, 9);
  f.put(1, 2, 8);
  const auto changed = f.changed();
  REQUIRE(changed.size() == 1);
  CHECK(changed[0].name == "N");
  CHECK(changed[0].count == 2);
  CHECK(changed[0].first == 2);
  CHECK(harness::decoded({changed[0].given, changed[0].found}, harness::Element::f32) ==
        std::vector<float>{0, 8});
}

TEST_CASE("what the program sends for an input on the virtual GPU does not count") {
  Fixture f;
  f.put(0, 0, 9);
  f.answer.inputs[0].words = harness::encoded(f.job.inputs[0].values, harness::Element::f32);
  CHECK(f.changed().size() == 1);
}

TEST_CASE("an input that is no longer in device memory is reported") {
  Fixture f;
  f.device.free(f.answer.inputs[0].address);
  CHECK(read_inputs(f.job, f.device, f.answer) == "M is no longer in device memory");
}

TEST_CASE("inputs in host memory, of earlier calls and of turns are compared as they were sent") {
  harness::Job job = small_product();
  for (harness::Input& one : job.inputs) one.place = Place::host;
  job.earlier = {{{}, {{{"M", {1}, {3}}, Place::host}}, {}}};
  harness::Answer answer;
  for (const std::vector<float>& values : {std::vector<float>{4}, job.inputs[0].values, job.inputs[1].values})
    answer.inputs.push_back({0, harness::encoded(values, harness::Element::f32)});
  const auto changed = changed_inputs(job, answer, 0, nullptr);
  REQUIRE(changed.size() == 1);
  CHECK(changed[0].call == 0);
  answer.inputs[0].words[0] = harness::encoded({3}, harness::Element::f32)[0];
  CHECK(changed_inputs(job, answer, 0, nullptr).empty());
  CHECK(changed_inputs(job, answer, 1, nullptr).size() == 2);
  job.takes_turns = true;
  answer.inputs.erase(answer.inputs.begin());
  for (std::size_t i = 0; i < 2; ++i)
    answer.inputs[i].words =
        harness::encoded(harness::rotated(job.inputs[i].values, 1), harness::Element::f32);
  CHECK(changed_inputs(job, answer, 1, nullptr).empty());
}

TEST_CASE("an answer without inputs, as after an error, changed none") {
  const harness::Job job = small_product();
  CHECK(changed_inputs(job, {}, 0, nullptr).empty());
}

}  // namespace changed_inputs_test
