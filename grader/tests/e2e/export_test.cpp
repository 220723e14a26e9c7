// `warpgrade export` and `warpgrade similarity` as a user runs them. The contents of the files are tested in
// tests/export and tests/similarity.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "e2e/class_fixture.hpp"
#include "schema_check.hpp"

namespace export_test {

using namespace testing;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kSample = source_folder() / "handout" / "instructor" / "sample-class";

}  // namespace

TEST_CASE("a class goes from grade to every system") {
  const ClassFixture fixture;
  write(fixture.submissions() / "alice" / "notes.txt", "the file was forgotten");
  write(fixture.submissions() / "=1+1" / "notes.txt", "the file was forgotten");
  REQUIRE(fixture.grade({}).code == 0);
  const std::string out = fixture.out().string();

  const Ended csv = warpgrade({"export", out, "--format", "csv"});
  CHECK(csv.code == 0);
  CHECK(csv.out == text_of(fixture.out() / "gradebook.csv"));
  const Ended folder = warpgrade({"export", out, "--format", "gradescope", "--out", out + "/upload"});
  CHECK(folder.code == 0);
  CHECK(Json::parse(text_of(fixture.out() / "upload" / "alice.json"))["score"] == 0);
  const Ended again = warpgrade({"export", out, "--format", "gradescope", "--out", out + "/upload"});
  CHECK(again.code == 3);
  CHECK_THAT(again.err, contains("WG-G56") && contains("--force"));
  CHECK(warpgrade({"export", out, "--format", "gradescope", "--out", out + "/upload", "--force"}).code == 0);

  const Ended without_roster = warpgrade({"export", out, "--format", "canvas"});
  CHECK(without_roster.code == 1);
  CHECK(without_roster.out.empty());
  CHECK_THAT(without_roster.err, contains("left out: 2 submissions: no Canvas identifier") &&
                                     contains("pass --roster FILE") && contains("nothing was written"));
  write(fixture.out() / "roster.csv", "submission,ID,Student\nalice,7,Alice\n=1+1,8,Bob\n");
  const Ended canvas = warpgrade({"export", out, "--format", "canvas", "--roster", out + "/roster.csv",
                                  "--name", "02-tiled-matmul=Lab 2 (9)"});
  CHECK(canvas.code == 0);
  CHECK_THAT(canvas.out, contains("Lab 2 (9)") && contains("Alice,7,,,,0.00"));
}

TEST_CASE("an export that cannot be made gives advice and exit code 2") {
  const Ended nothing = warpgrade({"export", "/dev/null/results", "--format", "csv"});
  CHECK(nothing.code == 2);
  CHECK_THAT(nothing.err, contains("WG-G55") && contains("summary.json"));
  const Ended format = warpgrade({"export", "x", "--format", "blackboard"});
  CHECK(format.code == 2);
}

TEST_CASE("similarity finds the copies in the sample class and writes its page") {
  const ClassFixture fixture;
  fs::copy(kSample, fixture.submissions(), fs::copy_options::recursive);
  fixture.add("copycat", kSample / "ada.l" / "02-tiled-matmul" / "tiled_matmul.cu");
  const std::string folder = fixture.submissions().string(), out = fixture.out().string();
  const Ended ended =
      warpgrade({"similarity", folder, "--out", out, "--jplag", out + "/jplag", "--dolos", out + "/dolos"});
  INFO(ended.err);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, contains("100 %") && contains("copycat") && contains("similarity.html"));
  CHECK_THAT(ended.err, contains("left out: j.abebe"));
  CHECK(SchemaCheck::of("similarity.schema.json")
            .problems(Json::parse(text_of(fixture.out() / "similarity.json")))
            .empty());
  CHECK(fs::exists(fixture.out() / "jplag" / "02-tiled-matmul" / "base" / "tiled_matmul.cpp"));
  CHECK(fs::exists(fixture.out() / "dolos" / "02-tiled-matmul" / "info.csv"));
  CHECK(warpgrade({"similarity", "/dev/null/class"}).code == 2);
  fs::create_directories(fixture.submissions() / "empty");
  CHECK(warpgrade({"similarity", (fixture.submissions() / "empty").string()}).code == 4);
  const grader::TemporaryFolder results("results");
  fs::create_directories(results.path() / "results" / "alice");
  write(results.path() / "summary.json", "{}");
  const Ended of_results = warpgrade({"similarity", results.path().string()});
  CHECK(of_results.code == 4);
  CHECK_THAT(of_results.err, contains("results of `warpgrade grade`") && contains("try: "));
}

}  // namespace export_test
