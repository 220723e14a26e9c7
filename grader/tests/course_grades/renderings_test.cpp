#include "course/renderings.hpp"

#include "catch.hpp"
#include "course/apply.hpp"
#include "course/write_grades.hpp"
#include "course_grades/course_fixture.hpp"
#include "export/formats.hpp"
#include "export/rules.hpp"
#include "export/sample_class.hpp"
#include "report/sample.hpp"
#include "schema_check.hpp"

namespace renderings_test {

using namespace grader;
using namespace grader::course;
using namespace testing;
using Json = nlohmann::ordered_json;

namespace {

/// Deductions, marks, an attack, a student without a submission, and a fault.
struct Sample {
  Course course;
  ClassResults results;
  CourseGrades grades;
};

Sample sample() {
  const CourseFolder folder;
  folder.write("students.csv", "submission,name\nzoe,=1+1\n");
  folder.write("marks.csv",
               "submission,lab,points,item,comment\nada.l,02,8.5,report,\"=HYPERLINK(\"\"x\"\")\x1b["
               "31m\"\nada.l,01,,,@SUM(A1)\n");
  Json json = small_course();
  json["drop_lowest"] = 1;
  json["labs"][1]["manual_points"] = 10;
  json["students"] = {{"file", "students.csv"}};
  json["manual"] = {{{"file", "marks.csv"}}};
  Course course = folder.loaded(json);
  ClassResults results =
      results_of({{"ada.l", {{"01-memory-types", 95}, {"02-tiled-matmul", 95.5}, {"06-min-plus", 100}}},
                  {"b.otieno-with-a-long-name", {{"02-tiled-matmul", 100}}},
                  {"陳大文", {{"01-memory-types", 100}, {"02-tiled-matmul", 30}}}});
  results.summary.hand_ins["ada.l"] = {
      .lms = "gradescope", .people = {{.name = "Ada"}}, .submitted_at = "2026-11-21 09:12:33.000 Z"};
  results.submissions[2].results[0].score.status = ResultStatus::grader_fault;
  results.summary.rows.at(4).status = ResultStatus::grader_fault;
  CourseGrades grades = graded(course, results);
  return {std::move(course), std::move(results), std::move(grades)};
}

}  // namespace

TEST_CASE("the course's grades are as approved: piped, narrow, ASCII, coloured") {
  const Sample made = sample();
  const auto show = [&](const std::string& name, const Terminal& terminal) {
    const std::string text = grades_text(made.course, made.grades, terminal);
    CHECK(text == golden(name, text));
    return text;
  };
  CHECK_THAT(show("course.txt", plain()), contains("(Gradescope) (-9.55 points)") && !contains("\x1b"));
  show("course-60.txt", window(60));
  show("course-30.txt", window(30));
  show("course-ascii.txt", ascii());
  show("course-color.txt", colored());
}

TEST_CASE("the course's gradebook is as approved, and no cell is a formula") {
  const std::string csv = grades_csv(sample().grades);
  CHECK(csv == golden("course-gradebook.csv", csv));
  CHECK_THAT(csv, contains("\"'=1+1\"") && !contains(",=") && !contains(",@") && !contains("\x1b"));
}

TEST_CASE("grades.json conforms to its schema, and points are the sum of their parts") {
  const Sample made = sample();
  const std::string text = grades_json(made.course, made.grades);
  CHECK(text == golden("course-grades.json", text));
  const auto json = nlohmann::json::parse(text);
  const SchemaCheck schema = SchemaCheck::of("course-grades.schema.json");
  for (const std::string& problem : schema.problems(json)) FAIL_CHECK(problem);
  for (const auto& student : json["students"])
    for (const auto& lab : student["labs"]) {
      if (lab["points"].is_null()) continue;
      double sum = lab["automatic"];
      for (const auto& reason : lab["reasons"]) sum += reason["points"].get<double>();
      CHECK(to_cents(sum) == lab["points"].get<double>());
    }
}

TEST_CASE("the schema of grades.json refuses changes") {
  const Sample made = sample();
  const auto json = nlohmann::json::parse(grades_json(made.course, made.grades));
  const SchemaCheck schema = SchemaCheck::of("course-grades.schema.json");
  for (const auto& [pointer, value] :
       std::vector<std::pair<std::string, nlohmann::json>>{{"/schema", "warpgrade.course-grades/2"},
                                                           {"/extra", 1},
                                                           {"/students/0/percent", "85"},
                                                           {"/students/0/labs/0/points", -1},
                                                           {"/students/0/labs/1/due", "tomorrow"},
                                                           {"/students/0/labs/1/handed_in", "2026"},
                                                           {"/students/0/labs/0/reasons", "late"},
                                                           {"/labs/0/graded", nullptr}}) {
    auto changed = json;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    INFO(pointer);
    CHECK_FALSE(schema.problems(changed).empty());
  }
}

TEST_CASE("the files of a class are written next to its results, and do not change them") {
  const CourseFolder folder;
  const ClassResults results = sample().results;
  write_class(folder.path(), results);
  const auto bytes = [&](const std::string& name) { return *read_file(folder.path() / name, 1U << 24U); };
  const std::string summary = bytes("summary.json");
  const auto written = write_grades(folder.path(), folder.loaded(small_course()));
  REQUIRE(written.has_value());
  CHECK(bytes("summary.json") == summary);
  CHECK(nlohmann::json::parse(bytes("course/grades.json"))["students"][0]["labs"][1]["handed_in"]["source"] ==
        "Gradescope");
  CHECK_THAT(bytes("course/gradebook.csv"), contains("ada.l"));
  CHECK(write_grades("/dev/null", sample().course).error().code == "WG-G55");
}

// ---- exports

namespace {

std::string made(const std::string& format, const ClassResults& all) {
  const auto exported = find_format(format)->make(all, {});
  if (!exported) FAIL(exported.error().what);
  return exported->files.front().bytes;
}

}  // namespace

TEST_CASE("every export has the course's points and reasons") {
  const Sample sampled = sample();
  const ClassResults all = with_course_grades(with_identities(sampled.results), sampled.grades);
  for (const std::string format : {"gradescope", "prairielearn", "autolab", "junit"}) {
    INFO(format);
    CHECK_THAT(made(format, all),
               contains("10 % off for 1 day late: due 2026-11-20 23:59 +01:00") && contains("report: "));
  }
  const auto gradescope = nlohmann::json::parse(made("gradescope", all));
  CHECK(gradescope["score"] == 95 + 94.45 + 100);
  CHECK_THAT(gradescope["output"].get<std::string>(),
             contains("94.45 of 110 points") && contains("course: "));
  CHECK(gradescope_problems(made("gradescope", all)) == Problems{});
  const auto classroom = decoded_base64_json(made("github-classroom", all));
  double sum = 0;
  for (const auto& test : classroom["tests"]) sum += test["score"].get<double>();
  constexpr double kOfChecks = 5 + 4.5;  // the made-up scores are lower than the sums of their checks
  CHECK(sum == Approx(95 + 94.45 + 100 + kOfChecks));
  for (const auto& test : classroom["tests"])
    if (test["name"].get<std::string>().ends_with("rules of the course")) CHECK(test["status"] == "pass");
  CHECK_THAT(made("canvas", all), contains(",95.00,94.45,100.00\r\n"));
  const auto moodle = find_format("moodle")->make(all, {});
  REQUIRE_FALSE(moodle.has_value());  // 110 points
  CHECK_THAT(moodle.error().next_step, contains("--percent"));
}

TEST_CASE("exports contain students without a submission where there is one file for the class") {
  Sample sampled = sample();
  for (StudentGrade& one : sampled.grades.students)
    if (one.student == "zoe") one.who.lms_id = "77";
  const ClassResults all = with_course_grades(sampled.results, sampled.grades);
  CHECK_THAT(made("canvas", all), contains("77,,,,0.00,0.00,0.00"));
  const auto files = find_format("gradescope")->make(all, {});
  for (const ExportedFile& file : files->files) CHECK_FALSE(file.name.empty());
}

TEST_CASE("reasons reveal no points of a class with hidden checks") {
  ClassResults results = secret_class();
  Json json = small_course();
  results.summary.hand_ins["alice"] = {.lms = "gradescope", .submitted_at = "2026-11-21 09:12 Z"};
  const CourseFolder folder;
  const ClassResults all = with_course_grades(results, graded(folder.loaded(json), results));
  const auto gradescope = nlohmann::json::parse(made("gradescope", all));
  CHECK_THAT(gradescope["output"].get<std::string>(),
             contains("10 % off for 1 day late") && !contains(" points") && !contains("course: "));
  CHECK(gradescope["tests"].back()["visibility"] == "hidden");
  CHECK_THAT(made("junit", all), !contains("10 % off for 1 day"));
}

TEST_CASE("labs that are not in the course are not exported") {
  const ClassResults results = results_of({{"ada", {{"02-tiled-matmul", 100}, {"04-coalescing", 100}}}});
  const ClassResults all =
      with_course_grades(results, graded(CourseFolder().loaded(small_course()), results));
  CHECK(all.summary.labs == std::vector<std::string>{"02-tiled-matmul"});
  CHECK_THAT(made("junit", all), !contains("04-coalescing"));
}

}  // namespace renderings_test
