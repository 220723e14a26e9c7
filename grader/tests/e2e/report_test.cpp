// `warpgrade report` as a user runs it. The pages are tested in tests/pages.
#include "catch.hpp"
#include "e2e/class_fixture.hpp"

namespace report_test {

using namespace testing;
namespace fs = std::filesystem;

TEST_CASE("a graded class becomes pages, and an earlier report is replaced only on request") {
  const ClassFixture fixture;
  write(fixture.submissions() / "alice" / "notes.txt", "the file was forgotten");
  write(fixture.submissions() / "<b>bob" / "notes.txt", "the file was forgotten");
  REQUIRE(fixture.grade({"--lab", "02"}).code == 0);
  const std::string out = fixture.out().string(), pages = out + "/pages";

  const Ended report = warpgrade({"report", out, "--out", pages, "--before", out});
  CHECK(report.code == 0);
  CHECK_THAT(report.out, contains("3 pages; open " + pages + "/index.html"));
  const std::string html = text_of(fs::path(pages) / "index.html");
  CHECK_THAT(html, contains("submissions/alice.html") && contains("&lt;b&gt;bob") && contains("WG-S10"));
  CHECK_THAT(html, contains("0 results changed, 2 did not"));
  CHECK(fs::exists(fs::path(pages) / "submissions" / "alice.html"));

  const Ended again = warpgrade({"report", out, "--out", pages});
  CHECK(again.code == 2);
  CHECK_THAT(again.err, contains("WG-G56") && contains("--force"));
  write(fs::path(pages) / "submissions" / "mine.html", "not a page of a report");
  const Ended forced = warpgrade({"report", out, "--out", pages, "--force", "--for-students"});
  CHECK(forced.code == 0);
  CHECK_FALSE(fs::exists(fs::path(pages) / "index.html"));
  CHECK(fs::exists(fs::path(pages) / "submissions" / "mine.html"));
}

TEST_CASE("a report has the grades of the course if there are any, and refuses damaged ones") {
  const ClassFixture fixture;
  write(fixture.submissions() / "alice" / "notes.txt", "the file was forgotten");
  write(fixture.submissions() / "alice" / "02-tiled-matmul" / "answers.json", "{");
  const fs::path folder = fixture.out().parent_path();
  write(folder / "marks.csv", "submission,points,comment\nalice,7.5,\"well <b>said</b>\"\n");
  write(folder / "course.json",
        R"({"schema": "warpgrade.course/1", "title": "CUDA", "manual": [{"file": "marks.csv"}],
        "labs": [{"lab": "02-tiled-matmul", "manual_points": 10, "question_points": 15}]})");
  REQUIRE(fixture.grade({"--course", (folder / "course.json").string()}).code == 0);
  const std::string out = fixture.out().string();
  REQUIRE(warpgrade({"report", out, "--out", (folder / "pages").string()}).code == 0);
  const std::string index = text_of(folder / "pages" / "index.html");
  CHECK_THAT(index,
             contains("id=\"course\"") && contains("data-value=\"6\">6 %</td>") && contains("not graded"));
  const std::string alice = text_of(folder / "pages" / "submissions" / "alice.html");
  CHECK_THAT(alice, contains("<strong>6 %</strong>") && contains("well &lt;b&gt;said&lt;/b&gt;") &&
                        contains("0 of 15 points for the questions: none of ") &&
                        contains("answers.json cannot be used"));
  REQUIRE(warpgrade({"report", out, "--out", (folder / "students").string(), "--for-students"}).code == 0);
  CHECK_THAT(text_of(folder / "students" / "submissions" / "alice.html"), contains("<strong>6 %</strong>"));

  write(fixture.out() / "course" / "grades.json", "{}");
  const Ended damaged = warpgrade({"report", out, "--out", (folder / "more").string()});
  CHECK(damaged.code == 2);
  CHECK_THAT(damaged.err,
             contains("error[WG-G55]") && contains("grades.json") && contains("--resume --course"));
}

TEST_CASE("a report that cannot be made gives advice and exit code 2") {
  const Ended nothing = warpgrade({"report", "/dev/null/results", "--out", "/dev/null/pages"});
  CHECK(nothing.code == 2);
  CHECK_THAT(nothing.err, contains("WG-G55") && contains("summary.json"));
}

}  // namespace report_test
