// `--course` as an instructor uses it. The rules are tested in tests/course_grades.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "e2e/class_fixture.hpp"
#include "packages/archives.hpp"
#include "schema_check.hpp"

namespace course_test {

using namespace testing;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kInstructor = source_folder() / "handout" / "instructor";

/// A class whose two students handed in files that are not the lab's, which is graded quickly.
class CourseFixture : public ClassFixture {
 public:
  CourseFixture() {
    for (const char* student : {"alice", "bob"})
      write(submissions() / student / "notes.txt", "the file was forgotten");
  }

  /// Writes course.json with these members in addition to the lab.
  std::string course(const Json& more = Json::object()) const {
    Json json = {{"schema", "warpgrade.course/1"},
                 {"labs", {{{"lab", "02-tiled-matmul"}, {"manual_points", 10}}}}};
    json.update(more);
    const fs::path file = out().parent_path() / "course.json";
    write(file, json.dump(2));
    return file.string();
  }
  void marks(const std::string& csv) const { write(out().parent_path() / "marks.csv", csv); }
  Json grades() const { return Json::parse(text_of(out() / "course" / "grades.json")); }
};

const Json kMarks = {{"manual", {{{"file", "marks.csv"}}}}};

/// The text of the first code block of this language after `heading`.
std::string block(const std::string& page, const std::string& heading, const std::string& language) {
  const std::string open = "```" + language + "\n";
  const std::size_t start = page.find(open, page.find(heading)) + open.size();
  return page.substr(start, page.find("```\n", start) - start);
}

}  // namespace

TEST_CASE("grade --course writes grades next to the results and leaves these as they are") {
  const CourseFixture with, without;
  with.marks("submission;points;comment\nalice;7,5;\"well said; late\"\n");
  const Ended ended = with.grade({"--course", with.course(kMarks)});
  INFO(ended.err);
  REQUIRE(ended.code == 0);
  REQUIRE(without.grade({}).code == 0);
  CHECK_THAT(ended.out, contains("alice              6.82 %") &&
                            contains("manual points: well said; late (+7.5 points)") &&
                            contains("/course/gradebook.csv"));
  CHECK(SchemaCheck::of("course-grades.schema.json").problems(with.grades()).empty());
  CHECK(with.grades()["students"][0]["labs"][0]["points"] == 7.5);
  CHECK(text_of(with.out() / "summary.json") == text_of(without.out() / "summary.json"));
  CHECK(text_of(with.out() / "gradebook.csv") == text_of(without.out() / "gradebook.csv"));
  CHECK(without_provenance(with.out() / "results" / "alice" / "02-tiled-matmul.json") ==
        without_provenance(without.out() / "results" / "alice" / "02-tiled-matmul.json"));
}

TEST_CASE("changed rules are applied without grading, and a run without --course drops old grades") {
  const CourseFixture fixture;
  fixture.marks("submission,points\nalice,1\n");
  REQUIRE(fixture.grade({"--course", fixture.course(kMarks)}).code == 0);
  fixture.marks("submission,points\nalice,2\n");
  REQUIRE(fixture.grade({"--resume", "--course", fixture.course(kMarks), "--format", "json"}).code == 0);
  CHECK(fixture.grades()["students"][0]["labs"][0]["points"] == 2);
  const Ended csv =
      warpgrade({"export", fixture.out().string(), "--format", "csv", "--course", fixture.course(kMarks)});
  CHECK(csv.out == text_of(fixture.out() / "course" / "gradebook.csv"));
  const Ended one = warpgrade({"export", fixture.out().string(), "--format", "csv", "--submission", "bob",
                               "--course", fixture.course(kMarks)});
  CHECK_THAT(one.out, contains("bob,") && !contains("alice"));
  const std::string note = "note: removed " + (fixture.out() / "course").string();
  const Ended without = fixture.grade({"--resume"});
  REQUIRE(without.code == 0);
  CHECK_FALSE(fs::exists(fixture.out() / "course"));
  CHECK_THAT(without.err, contains(note) && contains("--course FILE"));
  CHECK_THAT(fixture.grade({"--resume"}).err, !contains(note));
}

TEST_CASE("diff --apply drops the grades that belong to the earlier results") {
  const CourseFixture before, now;
  REQUIRE(before.grade({"--course", before.course()}).code == 0);
  REQUIRE(now.grade({}).code == 0);
  CHECK(warpgrade({"diff", before.out().string(), now.out().string(), "--apply"}).code == 0);
  CHECK_FALSE(fs::exists(before.out() / "course"));
}

TEST_CASE("mistakes in a course end the command before anything is graded") {
  const CourseFixture fixture;
  const auto refused = [&](const std::string& course) {
    const Ended ended = fixture.grade({"--course", course});
    CHECK(ended.code == 2);
    CHECK_FALSE(fs::exists(fixture.out()));
    return ended.err;
  };
  fixture.marks("submission,points\n\nalice,1\nalcie,1\n");
  CHECK_THAT(refused(fixture.course(kMarks)), contains("error[WG-G75]") && contains("marks.csv:4") &&
                                                  contains("did you mean") && contains("`alice`"));
  CHECK_THAT(refused(fixture.course({{"extensions", {{{"student", "zoe"}, {"days", 1}}}}})),
             contains("error[WG-G74]") && contains("extensions[0].student"));
  CHECK_THAT(refused(fixture.course({{"labs", {{{"lab", "09-no-lab"}}}}})), contains("09-no-lab"));
  CHECK_THAT(refused("/dev/null/course.json"), contains("error[WG-G74]") && contains("cannot be read"));
}

TEST_CASE("points for questions need questions in the lab, and answers of the submission itself") {
  const CourseFixture fixture;
  write(fixture.submissions() / "bob" / "02-tiled-matmul" / "answers.json",
        R"({"schema": "warpgrade.answers/1", "lab": "02-tiled-matmul", "name": "alice", "answers": {}})");
  const Json labs = {{"labs", {{{"lab", "02-tiled-matmul"}, {"question_points", 10}}}}};
  const Ended ended = fixture.grade({"--course", fixture.course(labs)});
  INFO(ended.err);
  REQUIRE(ended.code == 0);
  CHECK_THAT(ended.out, contains("0 of 10 points for the questions: no answers.json was handed in"));
  CHECK_THAT(ended.out,
             contains("answers.json is for the name \"alice\", but this submission's names are: bob"));
  CHECK_THAT(ended.out, contains("note: bob: 02-tiled-matmul: no answers count: answers.json is for"));
  CHECK(fixture.grades()["students"][1]["labs"][0]["max_points"] == 110);

  const grader::TemporaryFolder kit("kit");
  for (const char* part : {"grader", "solutions", "handout", "datasets"})
    fs::create_directory_symlink(source_folder() / part, kit.path() / part);
  fs::copy(source_folder() / "labs", kit.path() / "labs", fs::copy_options::recursive);
  const fs::path lab_json = kit.path() / "labs" / "02-tiled-matmul" / "lab.json";
  Json lab = Json::parse(text_of(lab_json));
  lab.erase("questions");
  write(lab_json, lab.dump());
  const CourseFixture silent;
  const Ended refused = silent.grade({"--course", silent.course(labs)},
                                     {.environment = {{"WARPGRADE_HOME", kit.path().string()}}});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, contains("error[WG-G74]") &&
                              contains("gives `question_points` for 02-tiled-matmul") &&
                              contains("asks no questions"));
}

TEST_CASE("Gradescope's time decides what is late, in the grade and in every student's export", "[slow]") {
  const ClassFixture fixture;
  const fs::path download = fixture.out().parent_path() / "export.zip";
  write(download,
        make_archive(Format::zip, {{"submission_metadata.yml",
                                    "submission_5:\n  :submitters:\n  - :name: Jane Doe\n    :email: j@x\n"
                                    "  :created_at: 2026-11-21 09:12:33.000000000 Z\n"},
                                   {"submission_5/tiled_matmul.cu", text_of(solution())}}));
  const fs::path course = fixture.out().parent_path() / "course.json";
  write(course, R"({"schema": "warpgrade.course/1", "time_zone": "+01:00", "late": {"percent_per_day": 10},
                    "labs": [{"lab": "02-tiled-matmul", "due": "2026-11-20 23:59"}]})");
  const std::string reason =
      "10 % off for 1 day late: due 2026-11-20 23:59 +01:00, handed in 2026-11-21 10:12 +01:00 (Gradescope)";
  const Ended ended = warpgrade({"grade", download.string(), "--lab", "02-tiled-matmul", "--out",
                                 fixture.out().string(), "--device", "virtual", "--course", course.string()});
  INFO(ended.err);
  REQUIRE(ended.code == 0);
  CHECK_THAT(ended.out, contains("90/100") && contains(reason));
  const Ended exported = warpgrade({"export", fixture.out().string(), "--format", "gradescope",
                                    "--submission", "submission_5", "--course", course.string()});
  CHECK(Json::parse(exported.out)["score"] == 90);
  CHECK_THAT(Json::parse(exported.out)["output"].get<std::string>(), contains(reason + " (-10 points)"));
}

TEST_CASE("the page on courses shows the sample files, and what grading with them prints", "[slow]") {
  const std::string page = text_of(kInstructor / "course.md");
  CHECK(block(page, "## The file", "json") == text_of(kInstructor / "sample-course" / "course.json"));
  CHECK(block(page, "## CSV files", "text") == text_of(kInstructor / "sample-course" / "manual.csv"));
  const ClassFixture fixture;
  const Ended ended =
      warpgrade({"grade", (kInstructor / "sample-class").string(), "--out", fixture.out().string(),
                 "--device", "virtual", "--course", (kInstructor / "sample-course" / "course.json").string()},
                {.environment = {{"COLUMNS", "80"}}});
  INFO(ended.err);
  REQUIRE(ended.code == 0);
  CHECK_THAT(ended.out, contains(block(page, "Every change is a line", "text")));
  CHECK_THAT(ended.out, contains(block(page, "Without a time nothing", "text")));
  CHECK_THAT(ended.out, contains("l.zhao") && contains("nothing was handed in"));
}

}  // namespace course_test
