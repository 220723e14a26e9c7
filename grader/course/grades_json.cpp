#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "course/renderings.hpp"
#include "report/json_number.hpp"

namespace grader::course {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& number) {
  return number ? json_number(*number) : Json(nullptr);
}

Json time_or_null(const std::optional<Instant>& when, const TimeZone& zone) {
  return when ? Json(zone.text(*when)) : Json(nullptr);
}

Json reasons_json(const std::vector<Reason>& reasons, const char* unit) {
  Json list = Json::array();
  for (const Reason& reason : reasons)
    list.push_back({{"text", reason.text}, {unit, json_number(reason.effect)}});
  return list;
}

Json lab_json(const CourseLab& lab, const CourseGrades& grades, const TimeZone& zone) {
  const bool is_graded = std::find(grades.graded.begin(), grades.graded.end(), lab.id) != grades.graded.end();
  return {{"lab", lab.id},
          {"weight", lab.extra_credit ? Json(nullptr) : json_number(lab.weight)},
          {"extra_credit", number_or_null(lab.extra_credit)},
          {"due", time_or_null(lab.due, zone)},
          {"graded", is_graded}};
}

Json grade_json(const LabGrade& grade, const TimeZone& zone) {
  Json json = {{"lab", grade.lab},
               {"automatic", number_or_null(grade.automatic)},
               {"points", number_or_null(grade.points)},
               {"max_points", json_number(grade.max_points)},
               {"percent", grade.points ? json_number(grade.percent()) : Json(nullptr)},
               {"dropped", grade.is_dropped},
               {"due", time_or_null(grade.due, zone)},
               {"handed_in", nullptr}};
  if (grade.questions)
    json["questions"] = {{"points", json_number(grade.questions->points)},
                         {"max_points", json_number(grade.questions->max_points)}};
  if (grade.handed_in)
    json["handed_in"] = {{"at", zone.text(grade.handed_in->at)}, {"source", grade.handed_in->source}};
  json["reasons"] = reasons_json(grade.reasons, "points");
  return json;
}

Json student_json(const StudentGrade& grade, const TimeZone& zone) {
  Json labs = Json::array();
  for (const LabGrade& one : grade.labs) labs.push_back(grade_json(one, zone));
  return {{"student", grade.student},
          {"name", grade.who.name.empty() ? Json(nullptr) : Json(grade.who.name)},
          {"percent", number_or_null(grade.percent)},
          {"reasons", reasons_json(grade.reasons, "percent")},
          {"labs", std::move(labs)}};
}

}  // namespace

std::string grades_json(const Course& course, const CourseGrades& grades) {
  Json labs = Json::array(), students = Json::array();
  for (const CourseLab& lab : course.labs) labs.push_back(lab_json(lab, grades, course.zone));
  for (const StudentGrade& grade : grades.students) students.push_back(student_json(grade, course.zone));
  const Json all = {{"schema", "warpgrade.course-grades/1"},
                    {"title", course.title.empty() ? Json(nullptr) : Json(course.title)},
                    {"course_sha256", course.sha256},
                    {"drop_lowest", course.drop_lowest},
                    {"labs", std::move(labs)},
                    {"warnings", grades.warnings},
                    {"students", std::move(students)}};
  return json_text(all, 2) + "\n";
}

}  // namespace grader::course
