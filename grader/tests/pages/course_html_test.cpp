#include "pages/course_html.hpp"

#include "catch.hpp"
#include "pages/sample_report.hpp"

namespace course_html_test {

using namespace grader;
using namespace grader::pages;
using namespace testing;

TEST_CASE("a submission's page has the course's grade with its reasons, and the marks with their comments") {
  const ReportInput input = attacked_report();
  const course::StudentGrade* alice = course_grade(input, "alice");
  REQUIRE(alice != nullptr);
  CHECK_THAT(course_grade_section(alice),
             contains("<strong>86.52 %</strong>") &&
                 contains("data-value=\"99.5\">99.5 <span class=\"of\">/ 115</span>"));
  const std::string html = lab_grade_html(alice, "02-tiled-matmul");
  CHECK_THAT(html,
             contains("<th scope=\"row\">report: &lt;script&gt;alert(5)&lt;/script&gt; clear figures</th>"
                      "<td class=\"number\" data-value=\"4.5\">+4.5</td>"));
  CHECK_THAT(html, contains("data-value=\"-10\">−10</td>") && contains("5 of 10 points for the questions"));
  CHECK(lab_grade_html(alice, "03-reduction-divergence").empty());
  for (const GradedSubmission& one : input.all.submissions)
    if (one.id == "alice") CHECK_THAT(submission_page(input, one, Audience::student), contains(html));
}

TEST_CASE("without a grade, the page says so instead of showing 0 points") {
  const ReportInput input = attacked_report();
  const course::StudentGrade* zoe = course_grade(input, "zoe");
  CHECK_THAT(course_grade_section(zoe), contains("no percentage yet") && !contains(">0<"));
  CHECK_THAT(lab_grade_html(zoe, "02-tiled-matmul"),
             contains("no grade: the grader") && !contains("<strong>"));
}

TEST_CASE("a lab that was dropped is marked, and reasons of the percentage are shown") {
  ReportInput input = attacked_report();
  course::StudentGrade& alice = input.course->grades.students.at(1);
  alice.labs[0].is_dropped = true;
  alice.reasons = {{"02-tiled-matmul does not count: lowest percentage (86.52 %)"}, {"extra credit", 2.5}};
  const std::string html = course_grade_section(&alice);
  CHECK_THAT(html, contains("02-tiled-matmul <span class=\"of\">does not count</span>") &&
                       contains("lowest percentage (86.52 %)") && contains(">+2.5</td>"));
  CHECK_THAT(course_section(input), contains("<span class=\"of\">does not count</span></td>"));
}

TEST_CASE("the class's page lists all students of the course, and the notes, as text") {
  const ReportInput input = attacked_report();
  const std::string html = course_section(input);
  CHECK_THAT(html, contains("<p>CUDA &lt;b&gt;2026&lt;/b&gt;</p>"));
  CHECK_THAT(html, contains("<li>02-tiled-matmul: no time is known: &lt;img"));
  CHECK_THAT(html, contains("<a href=\"submissions/alice.html\">alice</a>"));
  CHECK_THAT(html, contains("<th scope=\"row\">&lt;i&gt;absent <span class=\"of\">"));  // has no page
  CHECK(foreign_markup("<main>" + html + "</main>") == "");
}

TEST_CASE("a class without a course has no such parts") {
  ReportInput input = attacked_report();
  input.course.reset();
  CHECK(course_section(input).empty());
  CHECK(course_grade(input, "alice") == nullptr);
  CHECK(course_grade_section(nullptr).empty());
  CHECK(lab_grade_html(nullptr, "02-tiled-matmul").empty());
}

}  // namespace course_html_test
