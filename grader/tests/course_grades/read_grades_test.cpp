#include "course/read_grades.hpp"

#include <filesystem>

#include "catch.hpp"
#include "course/write_grades.hpp"
#include "course_grades/course_fixture.hpp"
#include "export/sample_class.hpp"
#include "report/sample.hpp"

namespace read_grades_test {

using namespace grader;
using namespace grader::course;
using namespace testing;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

/// A class with marks, questions, a fault and a student without a submission, and its written grades.
class GradedFolder : public CourseFolder {
 public:
  GradedFolder() {
    write("students.csv", "submission,name\nzoe,\"<b>Zoe\"\n");
    write("marks.csv", "submission,lab,item,points,comment\nada,02,report,8.5,\"<i>clear</i>\"\n");
    Json json = small_course();
    json["drop_lowest"] = 1;
    json["labs"][1]["manual_points"] = 10;
    json["labs"][1]["question_points"] = 5;
    json["students"] = {{"file", "students.csv"}};
    json["manual"] = {{{"file", "marks.csv"}}};
    ClassResults all = results_of({{"ada", {{"01-memory-types", 80}, {"02-tiled-matmul", 90}}},
                                   {"bob", {{"01-memory-types", 50}, {"02-tiled-matmul", 60}}}});
    all.submissions[0].results[1].questions = some_answers();
    all.submissions[1].results[0].score.status = ResultStatus::grader_fault;
    all.summary.rows[2].status = ResultStatus::grader_fault;
    write_class(path(), all);
    written_ = write_grades(path(), loaded(json));
    REQUIRE(written_.has_value());
  }
  const CourseGrades& written() const { return *written_; }
  fs::path file() const { return path() / "course" / "grades.json"; }
  Json json() const { return Json::parse(*read_file(file(), 1U << 24U)); }
  /// What reading complains about when the file has these bytes.
  std::string complaint(const std::string& bytes) const {
    write("course/grades.json", bytes);
    const auto read = read_grades(path());
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code == "WG-G55");
    CHECK_THAT(read.error().next_step, contains("--resume --course"));
    return read.error().what;
  }

 private:
  Expected<CourseGrades, Diagnostic> written_ = Unexpected{Diagnostic{}};
};

void check_equal(const std::vector<Reason>& read, const std::vector<Reason>& written) {
  REQUIRE(read.size() == written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    CHECK(read[i].text == written[i].text);
    CHECK(read[i].effect == written[i].effect);
  }
}

void check_equal(const LabGrade& read, const LabGrade& written) {
  CHECK(read.lab == written.lab);
  CHECK(read.automatic == written.automatic);
  CHECK(read.points == written.points);
  CHECK(read.max_points == written.max_points);
  CHECK(read.is_dropped == written.is_dropped);
  REQUIRE(read.questions.has_value() == written.questions.has_value());
  if (read.questions) CHECK(read.questions->points == written.questions->points);
  check_equal(read.reasons, written.reasons);
}

}  // namespace

TEST_CASE("grades read back as they were written") {
  const GradedFolder folder;
  const auto read = read_grades(folder.path());
  REQUIRE(read.has_value());
  REQUIRE(read->has_value());
  CHECK((*read)->title == "CUDA, autumn 2026");
  const CourseGrades &grades = (*read)->grades, &written = folder.written();
  CHECK(grades.graded == written.graded);
  CHECK(grades.warnings == written.warnings);
  REQUIRE(grades.students.size() == 3);
  for (std::size_t i = 0; i < grades.students.size(); ++i) {
    const StudentGrade &one = grades.students[i], &other = written.students[i];
    CHECK(one.student == other.student);
    CHECK(one.who.name == other.who.name);
    CHECK(one.percent == other.percent);
    check_equal(one.reasons, other.reasons);
    REQUIRE(one.labs.size() == other.labs.size());
    for (std::size_t j = 0; j < one.labs.size(); ++j) check_equal(one.labs[j], other.labs[j]);
  }
}

TEST_CASE("a class without a course has no grades") {
  const CourseFolder folder;
  const auto read = read_grades(folder.path());
  REQUIRE(read.has_value());
  CHECK_FALSE(read->has_value());
}

TEST_CASE("a damaged file of grades is refused, and so is a link") {
  const GradedFolder folder;
  const auto changed = [&](const std::string& pointer, const Json& value) {
    Json json = folder.json();
    json[Json::json_pointer(pointer)] = value;
    return json.dump();
  };
  const std::string bytes = folder.json().dump(), twice = changed("/students/1/student", "ada"),
                    points = changed("/students/0/labs/0/points", "many"),
                    lab = changed("/students/0/labs/0/lab", "../x"),
                    schema = changed("/schema", "warpgrade.course-grades/2");
  CHECK_THAT(folder.complaint(bytes.substr(0, bytes.size() / 2)), contains("truncated or damaged"));
  CHECK_THAT(folder.complaint(twice), contains("`students[1].student` repeats"));
  CHECK_THAT(folder.complaint(points), contains("`students[0].labs[0].points`"));
  CHECK_THAT(folder.complaint(lab), contains("`students[0].labs[0].lab`"));
  CHECK_THAT(folder.complaint(schema), contains("`schema`"));
  CHECK_THAT(folder.complaint("[]"), contains("object"));
  fs::remove(folder.file());
  fs::create_symlink("/etc/hostname", folder.file());
  CHECK_THAT(read_grades(folder.path()).error().what, contains("symbolic link"));
}

}  // namespace read_grades_test
