// Tests that a count that should stay on the device is not a variable of the host.
#include "judge/host_state.hpp"

#include <bit>

#include "catch.hpp"

namespace host_state_test {

using namespace grader;
using harness::Element;
using harness::Place;
using testing::contains;

namespace {

constexpr std::uint32_t kImages = 10;
constexpr std::uint32_t kPixels = 4096;

float threshold(std::uint32_t image) { return 17.5F + static_cast<float>(image); }
std::uint32_t count(std::uint32_t image) { return 1000 + 77 * image; }

harness::Job job() {
  harness::Job one;
  one.inputs.push_back({{"images", {1}, {3}}});
  std::vector<float> thresholds;
  for (std::uint32_t i = 0; i < kImages; ++i) thresholds.push_back(threshold(i));
  one.inputs.push_back({{"thresholds", {kImages}, thresholds}, Place::host});
  one.outputs.push_back({"counts", {kImages}, Place::host, Element::i32});
  one.outputs.back().is_copied = true;
  return one;
}

/// One launch per image; the count is copied to the host after each.
struct Run : CaseRun {
  void send(vgpu::cudart::SentWords& sent, std::vector<std::uint32_t> more, bool is_shared = false) const {
    sent.words.insert(sent.words.end(), more.begin(), more.end());
    sent.pieces.push_back({sent.words.size(), session.words.to_host.size(), is_shared});
  }
  /// The image's address, the number of its pixels, the threshold, and another parameter.
  void launch(std::uint32_t image, std::uint32_t parameter) {
    send(session.words.parameters, {image * kPixels * 4, 0x40000008, kPixels,
                                    std::bit_cast<std::uint32_t>(threshold(image)), parameter, 0});
  }
  void fetch(std::uint32_t image) { session.words.to_host.push_back(count(image)); }
  bool is_reported() const { return diagnose_host_state(*this, job()).has_value(); }
};

template <class Call>
Run run_with(Call call) {
  Run run;
  for (std::uint32_t i = 0; i < kImages; ++i) call(run, i);
  return run;
}

}  // namespace

TEST_CASE("addresses, thresholds and flags may change from call to call") {
  CHECK_FALSE(run_with([](Run& run, std::uint32_t i) {
                run.launch(i, i == 0 || i == kImages / 2 ? 1 : 0);
                run.fetch(i);
              }).is_reported());
}

TEST_CASE("a count in a variable of the host is reported: passed, encoded, or uploaded") {
  const Run passes = run_with([](Run& run, std::uint32_t i) {
    run.launch(i, i == 0 ? 0 : count(i - 1));
    run.fetch(i);
  });
  const auto found = diagnose_host_state(passes, job());
  REQUIRE(found);
  CHECK(found->code == "WG-S27");
  CHECK_THAT(found->what, contains("9 different sets of values of its own"));
  CHECK_THAT(found->likely_cause, contains("`counts`"));
  CHECK(run_with([](Run& run, std::uint32_t i) {
          run.launch(i, i == 0 ? 0 : count(i - 1) ^ 0x5a5aU);
          run.fetch(i);
        }).is_reported());
  CHECK(run_with([](Run& run, std::uint32_t i) {
          run.send(run.session.words.to_device, {i == 0 ? 0 : count(i - 1)});
          run.launch(i, 0);
          run.fetch(i);
        }).is_reported());
}

TEST_CASE("a count that is read from the device for each call is on the device") {
  CHECK_FALSE(run_with([](Run& run, std::uint32_t i) {
                if (i > 0) run.fetch(i - 1);
                run.send(run.session.words.to_device, {i == 0 ? 0 : count(i - 1)});
                run.launch(i, 0);
                run.fetch(i);
              }).is_reported());
}

TEST_CASE("a count in memory that host and device share is on the device") {
  CHECK_FALSE(run_with([](Run& run, std::uint32_t i) {
                run.launch(i, 0);
                run.send(run.session.words.to_device, {i == 0 ? 0 : count(i - 1)}, true);
                run.fetch(i);
              }).is_reported());
}

TEST_CASE("jobs whose results may be in variables of the host are not checked") {
  const Run run = run_with([](Run& one, std::uint32_t i) {
    one.launch(i, i == 0 ? 0 : count(i - 1));
    one.fetch(i);
  });
  harness::Job other = job();
  other.outputs.back().is_copied = false;
  CHECK_FALSE(diagnose_host_state(run, other));
}

}  // namespace host_state_test
