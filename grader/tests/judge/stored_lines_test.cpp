#include "judge/stored_lines.hpp"

#include <bit>

#include "catch.hpp"
#include "vgpu/state/unwritten.hpp"

namespace stored_lines_test {

using namespace grader;
using harness::Place;
using testing::contains;

namespace {

const SourceText kSource{"k.cu",
                         {"__global__ void k(float* out) {",                     // 1
                          "  out[0] = 1;",                                       // 2
                          "  out[threadIdx.x] = 2;",                             // 3
                          "}",                                                   // 4
                          "  k<<<1, 2>>>(out);",                                 // 5
                          "  cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost);"}};  // 6

harness::Job job(Place place) {
  harness::Job one;
  one.outputs = {{"out", {3}, place}};
  return one;
}

/// Lines 1, 2 and 3 of the table: two of the student's file, one of another.
CaseRun run() {
  CaseRun made;
  made.session.store_lines = {{"/box/k.cu", 2}, {"/box/k.cu", 3}, {"/usr/include/a.h", 2}};
  made.answer.outputs = {{"out", {3}, {1, 2, 2}}};
  return made;
}

CaseRun on_host(std::vector<float> fetched, std::vector<vgpu::StoreLine> lines) {
  CaseRun made = run();
  for (const float value : fetched) made.session.words.to_host.push_back(std::bit_cast<std::uint32_t>(value));
  made.session.words.stored_by = std::move(lines);
  return made;
}

/// The line that is named for an element, and the words that are added to `first`.
std::pair<int, std::string> named(const CaseRun& run, Place place, std::size_t element) {
  Diagnostic diagnostic;
  const harness::Job of = job(place);
  StoredLines(run, of, 0, kSource).name_store(diagnostic, element);
  return {diagnostic.where ? diagnostic.where->line : 0, diagnostic.first};
}

}  // namespace

TEST_CASE("a value of unwritten memory that kernels stored is no element that was never written") {
  const auto is_stored = [](std::vector<vgpu::StoreLine> lines) {
    const float poison = std::bit_cast<float>(vgpu::kUnwrittenWords[0]);
    CaseRun one = on_host({poison, poison, 1}, std::move(lines));
    one.answer.outputs = {{"out", {3}, {poison, poison, 1}}};
    const harness::Job of = job(Place::host);
    return StoredLines(one, of, 0, kSource).is_stored(0);
  };
  CHECK(is_stored({1, 1, 2}));
  CHECK_FALSE(is_stored({1, 0, 2}));
  CHECK_FALSE(is_stored({0, 0, 2}));
}

TEST_CASE("an element of device memory has the line that stored it") {
  CaseRun one = run();
  one.stored_by = {{1, 2, 2}};
  CHECK(named(one, Place::device, 0) == std::pair(2, std::string("; stored by this line")));
  CHECK(named(one, Place::device, 1).first == 3);
}

TEST_CASE("an element that no kernel stored has the line that stored most others") {
  CaseRun one = run();
  one.stored_by = {{0, 1, 2}};
  one.stored_by.front().push_back(2);
  const auto [line, words] = named(one, Place::device, 0);
  CHECK(line == 3);
  CHECK_THAT(words, contains("not this one"));
}

TEST_CASE("lines of other files, numbers outside the table and runs on a real GPU give no line") {
  CaseRun one = run();
  one.stored_by = {{3, 4, 0}};
  for (std::size_t i = 0; i < 3; ++i) CHECK(named(one, Place::device, i) == std::pair(0, std::string()));
  CHECK(named(run(), Place::device, 0).first == 0);
  CHECK(named(run(), Place::host, 0).first == 0);
}

TEST_CASE("an element of host memory has the line of the words with its value, if they have the same") {
  CHECK(named(on_host({5, 1, 2}, {1, 1, 2}), Place::host, 0).first == 2);
  CHECK(named(on_host({5, 1, 2}, {1, 1, 2}), Place::host, 1).first == 3);
  CHECK(named(on_host({1, 1}, {1, 2}), Place::host, 0).first == 0);  // two lines stored 1
  CHECK(named(on_host({1, 1}, {1, 0}), Place::host, 0).first == 0);  // one of them came from the host
  CHECK(named(on_host({5, 6}, {1, 1}), Place::host, 0).first == 0);  // the host computed it
}

TEST_CASE("the launch and the copy to the host are named if there is one of each") {
  CaseRun one = run();
  one.session.launches.resize(2);
  for (auto& launch : one.session.launches) launch.kernel = "_Z1kPf";
  const harness::Job of = job(Place::host);
  Diagnostic launch, copy, none;
  StoredLines(one, of, 0, kSource).name_launch(launch);
  StoredLines(one, of, 0, kSource).name_copy(copy);
  CHECK(launch.where->line == 5);
  CHECK(copy.where->line == 6);
  SourceText twice = kSource;
  twice.lines.insert(twice.lines.end(), {kSource.lines[4], kSource.lines[5]});
  StoredLines(one, of, 0, twice).name_launch(none);
  StoredLines(one, of, 0, twice).name_copy(none);
  CHECK_FALSE(none.where);
}

TEST_CASE("nothing came back if no word that came to the host was stored by a kernel") {
  const harness::Job of = job(Place::host);
  const auto nothing_came_back = [&](const CaseRun& run) {
    return StoredLines(run, of, 0, kSource).nothing_came_back();
  };
  CHECK(nothing_came_back(on_host({1, 2}, {0, 0})));
  CHECK_FALSE(nothing_came_back(on_host({1, 2}, {0, 1})));
  CaseRun idle = run();
  idle.session.store_lines.clear();  // no kernel stored anything
  CHECK_FALSE(nothing_came_back(idle));
}

TEST_CASE("an element without a store can have been changed by a fill") {
  CaseRun one = run();
  one.stored_by = {{1, 0, 1}};
  CHECK_THAT(named(one, Place::device, 1).second, contains("this line stores other elements, not this one"));
  one.session.device_copies.fills = 1;
  CHECK_THAT(named(one, Place::device, 1).second,
             contains("changed last by a copy or a fill, or by nothing"));
}

}  // namespace stored_lines_test
