// Tests that right results are traced to kernels: by the values that went up, and by those that came down.
#include "judge/origin.hpp"

#include <bit>

#include "catch.hpp"
#include "harness/elements.hpp"

namespace origin_test {

using namespace grader;
using harness::Element;
using harness::Place;
using harness::Words;
using testing::contains;

namespace {

constexpr std::uint32_t kElements = 1000;

std::uint32_t word(float value) { return std::bit_cast<std::uint32_t>(value); }
float input(std::uint32_t i) { return 0.5F + static_cast<float>(i) / 1024; }
float result(std::uint32_t i) { return 77.125F + static_cast<float>(i) * 3 / 256; }

std::vector<float> values(float (*of)(std::uint32_t)) {
  std::vector<float> all;
  for (std::uint32_t i = 0; i < kElements; ++i) all.push_back(of(i));
  return all;
}

harness::Job job(Place place) {
  harness::Job one;
  one.inputs = {{{"in", {kElements}, values(input)}, place}};
  one.outputs = {{"out", {kElements}, place}};
  return one;
}

/// A run that has sent the inputs, and then fetched the results.
struct Run : CaseRun {
  Run() {
    session.launches.emplace_back();
    answer.outputs = {{"out", {kElements}, values(result)}};
    for (std::uint32_t i = 0; i < kElements; ++i) session.words.to_device.words.push_back(word(input(i)));
    session.words.to_device.pieces = {{kElements, 0}};
    for (std::uint32_t i = 0; i < kElements; ++i) session.words.to_host.push_back(word(result(i)));
  }
  void send(vgpu::cudart::SentWords& sent, const std::vector<float>& more,
            std::size_t fetched_before = 0) const {
    for (const float value : more) sent.words.push_back(word(value));
    sent.pieces.push_back({sent.words.size(), fetched_before});
  }
  void upload(const std::vector<float>& more, std::size_t fetched_before = 0) {
    send(session.words.to_device, more, fetched_before);
  }
  void pass(const std::vector<float>& more) { send(session.words.parameters, more); }
  std::string problem(Place place) const {
    const auto found = diagnose_origin(*this, job(place));
    if (!found) return "";
    CHECK(found->code == "WG-S27");
    return found->what;
  }
};

}  // namespace

TEST_CASE("inputs in any order, constants and a few values of the program's own can be uploaded") {
  for (const Place place : {Place::device, Place::host, Place::pinned}) {
    Run run;
    run.upload({input(5), input(3), input(3), 0, -1, 1.0F / 0.0F, 3.4028235e38F, 256, 0.1234F, 9.87F});
    run.pass({1e-30F, 12.5F});
    CHECK(run.problem(place).empty());
  }
}

TEST_CASE("a result that is uploaded to the device is reported, from any memory of the host") {
  for (const Place place : {Place::device, Place::host}) {
    Run run;
    run.upload({0.25F, result(700)});
    CHECK_THAT(run.problem(place), contains("1 value that the host uploaded") && contains("out[700]"));
  }
}

TEST_CASE("a single parameter that equals one of many results is chance, several are not") {
  Run run;
  run.pass({result(3)});
  CHECK(run.problem(Place::device).empty());
  run.pass({result(4)});
  CHECK_THAT(run.problem(Place::device),
             contains("2 values that the host passed as parameters") && contains("out[3]"));
}

TEST_CASE("the only result, passed as a parameter, is reported") {
  Run run;
  harness::Job sum = job(Place::device);
  sum.outputs = {{"sum", {1}}};
  run.answer.outputs = {{"sum", {1}, {12345.678F}}};
  CHECK_FALSE(diagnose_origin(run, sum));
  run.pass({12345.678F});
  CHECK(diagnose_origin(run, sum));
}

TEST_CASE("extents that equal counts are not results") {
  Run run;
  harness::Job counts = job(Place::device);
  counts.outputs = {{"count", {2}, Place::device, Element::i32}};
  run.answer.outputs = {{"count", {2}, {1000, 0}}};
  run.pass({std::bit_cast<float>(1000)});
  CHECK_FALSE(diagnose_origin(run, counts));
  run.answer.outputs = {{"count", {2}, {123456, 0}}};
  run.pass({std::bit_cast<float>(123456)});
  CHECK(diagnose_origin(run, counts));
  counts.scalars = {{"n", 123456}};
  CHECK_FALSE(diagnose_origin(run, counts));
  counts.scalars = {{"width", 384}, {"height", 643}};
  run.answer.outputs[0].values[0] = 384 * 643;
  run.pass({std::bit_cast<float>(384 * 643)});
  CHECK_FALSE(diagnose_origin(run, counts));
}

TEST_CASE("values that the device has sent before can be uploaded again") {
  Run run;
  run.upload({result(9)}, 10);
  CHECK(run.problem(Place::host).empty());
  run.upload({result(10)}, 10);  // words 0 to 9 had come
  CHECK_FALSE(run.problem(Place::host).empty());
}

TEST_CASE("with arrays in host memory, inputs that the host has changed are reported") {
  Run run;
  std::vector<float> sums;
  for (std::uint32_t i = 0; i < 300; ++i) sums.push_back(input(i) + input(i + 1) + 0.0001F);
  run.upload(sums);
  CHECK_THAT(run.problem(Place::host), contains("300 values") && contains("neither inputs nor constants"));
  CHECK(run.problem(Place::device).empty());  // there the number of bytes is limited
}

TEST_CASE("with arrays in host memory, kernels get few values as parameters") {
  Run run;
  std::vector<float> many;
  for (std::uint32_t i = 0; i < 300; ++i) many.push_back(0.001F + static_cast<float>(i) / 7);
  run.session.launches.resize(11);
  run.pass(many);
  CHECK(run.problem(Place::host).empty());
  run.session.launches.resize(10);
  CHECK_THAT(run.problem(Place::host), contains("300 values passed to kernels as parameters"));
}

TEST_CASE("bytes of results that are uploaded one by one are not constants") {
  Run run;
  std::vector<float> bytes;
  for (std::uint32_t i = 0; i < 300; ++i) bytes.push_back(std::bit_cast<float>(1 + i % 255));
  run.upload(bytes);
  CHECK_THAT(run.problem(Place::host), contains("300 values"));
}

TEST_CASE("an element that the host computed after the copy is reported") {
  Run run;
  run.session.words.to_host[999] = word(5.5F);
  CHECK_THAT(run.problem(Place::host),
             contains("1 of 1000 elements of the result never came from the device") && contains("out[999]"));
  CHECK(run.problem(Place::device).empty());  // the grader reads the device's memory itself
}

TEST_CASE("a result that came in an earlier call is not the result of this one") {
  Run run;
  run.session.calls = {{}, {.fetched_words = kElements}};
  CHECK_THAT(run.problem(Place::host), contains("never came from the device"));
  for (std::uint32_t i = 0; i < kElements; ++i) run.session.words.to_host.push_back(word(result(i)));
  CHECK(run.problem(Place::host).empty());
}

TEST_CASE("an element that came once can be in the result once") {
  Run run;
  run.answer.outputs[0].values[1] = run.answer.outputs[0].values[0];
  CHECK_THAT(run.problem(Place::host), contains("1 of 1000 elements"));
}

TEST_CASE("a value in host memory that must be copied is reported if the host computed it") {
  Run run;
  harness::Job one = job(Place::device);
  one.outputs.push_back({"count", {1}, Place::host, Element::i32});
  run.answer.outputs.push_back({"count", {1}, {41}});
  CHECK_FALSE(diagnose_origin(run, one));
  one.outputs.back().is_copied = true;
  const auto found = diagnose_origin(run, one);
  REQUIRE(found);
  CHECK_THAT(found->what, contains("1 of 1 elements of the result never came from the device"));
  for (const std::uint32_t came : {41U, std::bit_cast<std::uint32_t>(41.0F)}) {
    run.session.words.to_host = {came};
    CHECK_FALSE(diagnose_origin(run, one));
  }
  run.session.words.to_host = {std::bit_cast<std::uint32_t>(42.0F)};
  CHECK(diagnose_origin(run, one));
}

TEST_CASE("inputs of earlier calls are inputs") {
  Run run;
  harness::Job one = job(Place::host);
  std::vector<float> others;
  for (std::uint32_t i = 0; i < kElements; ++i) others.push_back(input(i) / 3);
  run.upload(others);
  CHECK(diagnose_origin(run, one));
  one.earlier = {{{}, {{{"in", {kElements}, others}, Place::host}}, {}}};
  CHECK_FALSE(diagnose_origin(run, one));
}

TEST_CASE("too many values to record are reported where they decide") {
  Run run;
  run.session.words.is_complete = false;
  CHECK_THAT(run.problem(Place::pinned), contains("64 MiB"));
  CHECK(run.problem(Place::device).empty());
}

TEST_CASE("jobs without a launch have no origin to check") {
  Run run;
  run.upload({result(1)});
  harness::Job one = job(Place::host);
  one.needs_launch = false;
  CHECK_FALSE(diagnose_origin(run, one));
  run.session.launches.clear();
  CHECK_FALSE(diagnose_origin(run, job(Place::host)));
}

namespace {

constexpr std::uint32_t kMany = 20'000;

std::uint32_t hash(std::uint32_t i) {
  i = (i ^ i >> 16U) * 0x45D9F3BU;
  i = (i ^ i >> 16U) * 0x45D9F3BU;
  return i ^ i >> 16U;
}
float any_input(std::uint32_t i) { return 0.5F + static_cast<float>(i) / 65536; }

/// A run with enough inputs and results for orders to be judged.
struct LargeRun : CaseRun {
  harness::Job job;
  LargeRun() {
    std::vector<float> in, out;
    for (std::uint32_t i = 0; i < kMany; ++i) {
      in.push_back(any_input(i));
      out.push_back(77.125F + static_cast<float>(i) * 3 / 256);
      session.words.to_device.words.push_back(word(in.back()));
      session.words.to_host.push_back(word(out.back()));
    }
    session.launches.emplace_back();
    session.words.to_device.pieces = {{kMany, 0}};
    answer.outputs = {{"out", {kMany}, out}};
    job.inputs = {{{"in", {kMany}, in}, Place::host}};
    job.outputs = {{"out", {kMany}, Place::host}};
  }
  std::string problem() const {
    const auto found = diagnose_origin(*this, job);
    return found ? found->what : "";
  }
};

}  // namespace

TEST_CASE("inputs that the host selects one by one are reported, and so are numbers and bits in an order") {
  using Value = float (*)(std::uint32_t);
  for (const Value value : {Value{[](std::uint32_t i) { return any_input(hash(i) % kMany); }},
                            Value{[](std::uint32_t i) { return static_cast<float>(hash(i) % 256); }},
                            Value{[](std::uint32_t i) { return static_cast<float>(hash(i) % 2); }}}) {
    LargeRun run;
    CHECK(run.problem().empty());
    for (std::uint32_t i = 0; i < kMany; ++i) run.session.words.to_device.words.push_back(word(value(i)));
    run.session.words.to_device.pieces.push_back({2 * kMany, 0});
    CHECK_THAT(run.problem(), contains("runs of inputs and constants; the limit is 2500"));
  }
}

TEST_CASE("inputs that are copied one by one are as many runs") {
  LargeRun run;
  run.session.words.to_device.pieces.clear();
  for (std::uint32_t i = 0; i < kMany; ++i) run.session.words.to_device.pieces.push_back({i + 1, 0});
  CHECK_THAT(run.problem(), contains("runs of inputs"));
}

TEST_CASE("parameters of many launches that do not follow from earlier ones are reported") {
  LargeRun run;
  run.session.words.unforeseen_parameters = 2500;
  CHECK(run.problem().empty());
  run.session.words.unforeseen_parameters = 2501;
  CHECK_THAT(run.problem(), contains("2501 words of kernels' parameters are new"));
}

TEST_CASE("a result that the host selects among candidates of the device is reported") {
  LargeRun run;
  Words candidates;
  for (std::uint32_t i = 0; i < kMany; ++i) candidates.push_back(run.session.words.to_host[i] + 1);
  run.session.words.to_host.insert(run.session.words.to_host.end(), candidates.begin(), candidates.end());
  CHECK(run.problem().empty());
  for (std::uint32_t i = 0; i < kMany; ++i)
    if (hash(i) % 2 == 0) run.answer.outputs[0].values[i] = std::bit_cast<float>(candidates[i]);
  CHECK_THAT(run.problem(), contains("the result consists of"));
}

}  // namespace origin_test
