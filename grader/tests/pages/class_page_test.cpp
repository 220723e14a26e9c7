#include "catch.hpp"
#include "pages/class_sections.hpp"
#include "pages/common_diagnostics.hpp"
#include "pages/sample_report.hpp"
#include "report/sample.hpp"

namespace class_page_test {

using namespace grader;
using namespace grader::pages;
using namespace testing;

TEST_CASE("markup that is not the pages' own is recognised") {
  const auto judged = [](const std::string& html) {
    return foreign_markup("<main id=\"main\">" + html + "</main>");
  };
  CHECK(judged("<p class=\"x\"><a href=\"#y\">z</a></p>") == "");
  for (const char* html :
       {"<script>alert(1)</script>", "<p onclick=\"x\">", "<b>", "<p style=\"x\">", "</style>",
        "<a href=\"http://x\">", "<a href=\"javascript:x\">", "<img src=\"x.png\">", "\x1b", "<"}) {
    INFO(html);
    CHECK(judged(html) != "");
  }
}

TEST_CASE("the page of an attacked class contains its own markup only") {
  const std::string html = class_page(attacked_report());
  CHECK(foreign_markup(html) == "");
  CHECK_THAT(html, contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST_CASE("equal results give equal pages, in any order of the inputs' maps") {
  const auto first = make_pages(large_report(20), Audience::instructor);
  const auto second = make_pages(large_report(20), Audience::instructor);
  REQUIRE(first.size() == 26);
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(first[i].path == second[i].path);
    CHECK(first[i].html == second[i].html);
  }
}

TEST_CASE("every submission has a row that links to its page") {
  const ReportInput input = attacked_report();
  const std::string html = submissions_section(input);
  for (const GradedSubmission& one : input.all.submissions)
    CHECK_THAT(html, contains("<a href=\"" + page_address(one) + "\">"));
  CHECK_THAT(html, contains("data-value=\"100\">100 <span class=\"of\">/ 100</span>"));
  CHECK_THAT(html, contains("✗ grader fault"));
}

TEST_CASE("the table of submissions has the course's percentages and the right answers") {
  ReportInput input = attacked_report();
  CHECK_THAT(submissions_section(input), contains("<th scope=\"col\" class=\"number\">course</th>") &&
                                             contains("data-value=\"86.52\">86.52 %</td>") &&
                                             contains("data-value=\"2\">2 of 4</td>"));
  input.course.reset();
  for (GradedSubmission& one : input.all.submissions) one.results.front().questions.reset();
  CHECK_THAT(submissions_section(input), !contains(">course<") && !contains("right answers"));
  CHECK_THAT(class_page(input), !contains("id=\"course\"") && !contains("id=\"questions\""));
}

TEST_CASE("a class without similarity report and earlier grading has no such sections") {
  ReportInput input = attacked_report();
  input.similar.reset();
  input.changes.reset();
  const std::string html = class_page(input);
  CHECK_THAT(html, !contains("id=\"similarity\"") && !contains("#changes"));
  CHECK_THAT(html, contains("id=\"items\"") && contains("href=\"#provenance\""));
}

TEST_CASE("similar pairs link to the first lines of their longest match") {
  const std::string html = similarity_section(attacked_report());
  CHECK_THAT(html, contains("! 87 %") && contains("submissions/alice.html#02-tiled-matmul-L1\">line 1</a>"));
  CHECK_THAT(html, contains("&lt;i&gt;gone&lt;/i&gt;"));  // no page to link to
}

TEST_CASE("changes show both gradings and the reason") {
  const std::string html = changes_section(attacked_report());
  CHECK_THAT(html, contains("2 results changed, 3 did not") && contains("+62.5") && contains("rubric"));
}

TEST_CASE("diagnostics are counted once per submission") {
  ReportInput input;
  input.all.summary.labs = {"02-tiled-matmul"};
  for (const char* id : {"a", "b", "c", "d"}) add_submission(input, id, failing_result(), "x\n");
  input.all.submissions[0].results[0].score.checks[3].diagnostics[0].what = "another message";
  input.all.submissions[0].results[0].score.checks[4].diagnostics[0].what = "another message";
  input.all.submissions[2].results[0].score.status = ResultStatus::grader_fault;
  const auto common = common_diagnostics(input.all);
  REQUIRE_FALSE(common.empty());
  CHECK(common[0].code == "WG-M02");
  CHECK(common[0].submissions.size() == 3);
  CHECK_THAT(common[0].what, contains("write of 4 bytes"));
}

TEST_CASE("faults and interrupted runs are reported at the top") {
  ReportInput input = attacked_report();
  input.all.summary.interrupted = true;
  input.all.summary.expected_rows = 9;
  CHECK_THAT(class_page(input), contains("machine failed: 1.") && contains("5 of 9 results exist"));
}

}  // namespace class_page_test
