// A class whose grading is killed and continued.
#include <algorithm>
#include <csignal>

#include "catch.hpp"
#include "e2e/class_fixture.hpp"

namespace resume_test {

using namespace testing;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Correct, wrong and broken submissions; two are identical.
void hand_in(const ClassFixture& fixture) {
  int i = 0;
  for (const char* name : {"no_load_guard", "no_store_guard", "transposed_output", "not_tiled"})
    fixture.add("wrong" + std::to_string(i++),
                source_folder() / "solutions/02-tiled-matmul/wrong" / (std::string(name) + ".cu"));
  for (const char* name : {"divergent_barrier", "does_not_compile", "exit_in_constructor", "fake_json"})
    fixture.add(name, bad_input(name));
  fixture.add("right", solution());
  fixture.add("right-too", solution());
  write(fixture.submissions() / "nothing" / "notes.txt", "the file was forgotten");
}

/// By path, all files of a run that must be the same after interruptions.
std::map<std::string, Json> results(const ClassFixture& fixture) {
  std::map<std::string, Json> found;
  for (const auto& entry : fs::recursive_directory_iterator(fixture.out() / "results")) {
    if (!entry.is_regular_file()) continue;
    Json result = Json::parse(text_of(entry.path()));
    result["provenance"].erase("started");
    result["provenance"].erase("finished");
    found[entry.path().lexically_relative(fixture.out()).string()] = std::move(result);
  }
  for (const char* file : {"manifest.json", "summary.json", "gradebook.csv"})
    found[file] = text_of(fixture.out() / file);
  return found;
}

}  // namespace

TEST_CASE("a run that is killed three times ends with the files of one that is not", "[slow]") {
  const ClassFixture whole, killed;
  hand_in(whole);
  hand_in(killed);
  CHECK(whole.grade({}).code == 0);
  for (int kill = 1; kill <= 3; ++kill) {
    // As soon as there is one result more than before, in the middle of the next ones.
    std::vector<fs::path> missing;
    for (const auto& [file, result] : results(whole))
      if (!result.is_string() && !fs::exists(killed.out() / file)) missing.push_back(killed.out() / file);
    REQUIRE_FALSE(missing.empty());
    const Ended ended = killed.grade({"--resume"}, {.kill_when = [&] {
                                       return std::any_of(missing.begin(), missing.end(),
                                                          [](const auto& f) { return fs::exists(f); });
                                     }});
    CHECK(ended.code == 128 + SIGKILL);
  }
  const Ended last = killed.grade({"--resume"});
  CHECK(last.code == 0);
  CHECK(results(killed) == results(whole));
  CHECK_FALSE(fs::exists(killed.out() / "attempts"));
}

TEST_CASE("grading into a folder that has results is refused with advice, exit code 2", "[slow]") {
  const ClassFixture fixture;
  fixture.add("alice", bad_input("does_not_compile"));
  REQUIRE(fixture.grade({}).code == 0);
  const Ended again = fixture.grade({});
  CHECK(again.code == 2);
  CHECK_THAT(again.err, contains("WG-G33") && contains("--resume") && contains("--only changed"));
  CHECK(fixture.grade({"--resume"}).code == 0);
  fixture.add("alice", solution());
  const Ended changed = fixture.grade({"--resume"});
  CHECK(changed.code == 2);
  CHECK_THAT(changed.err, contains("WG-G34") && contains("alice's file for 02-tiled-matmul has changed"));
  CHECK(fixture.grade({"--only", "changed"}).code == 0);
  CHECK_THAT(text_of(fixture.out() / "gradebook.csv"), contains("alice,100,100"));
}

TEST_CASE("parts of a run that other processes grade make the whole", "[slow]") {
  const ClassFixture whole, parts;
  for (const ClassFixture* fixture : {&whole, &parts}) {
    fixture->add("a", bad_input("does_not_compile"));
    fixture->add("b", solution());
    fixture->add("c", bad_input("fake_json"));
  }
  CHECK(whole.grade({}).code == 0);
  // A run that was started and stopped: the manifest exists, results are missing.
  CHECK(parts.grade({}).code == 0);
  for (const char* id : {"b", "c"}) fs::remove(parts.out() / "results" / id / "02-tiled-matmul.json");
  CHECK(warpgrade({"grade-items", parts.out().string(), "--items", "2"}).code == 0);
  CHECK(warpgrade({"grade-items", parts.out().string(), "--items", "0-1"}).code == 0);
  CHECK(parts.grade({"--resume"}).code == 0);
  CHECK(results(parts) == results(whole));
  const Ended no_item = warpgrade({"grade-items", parts.out().string(), "--items", "3"});
  CHECK(no_item.code == 2);
  CHECK_THAT(no_item.err, contains("error: ") && !contains("WG-G"));
  CHECK(warpgrade({"grade-items", parts.submissions().string()}).code == 2);
}

TEST_CASE("a regrade is shown with its reasons and applied atomically", "[slow]") {
  const ClassFixture before, after;
  for (const ClassFixture* fixture : {&before, &after}) fixture->add("a", bad_input("does_not_compile"));
  before.add("b", bad_input("fake_json"));
  after.add("b", solution());
  CHECK(before.grade({}).code == 0);
  CHECK(after.grade({}).code == 0);
  const Ended shown = warpgrade({"diff", before.out().string(), after.out().string()});
  CHECK(shown.code == 0);
  CHECK_THAT(shown.out, contains("100/100 accepted  source") && contains("1 unchanged"));
  CHECK(warpgrade({"diff", before.out().string(), after.out().string(), "--apply"}).code == 0);
  CHECK(results(before) == results(after));
  CHECK_THAT(warpgrade({"diff", before.out().string(), after.out().string()}).out,
             contains("no score differs"));
  CHECK(warpgrade({"diff", before.out().string(), "/dev/null/results"}).code == 2);
}

}  // namespace resume_test
