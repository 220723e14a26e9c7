#include "pages/student_view.hpp"

#include "base/sha256.hpp"
#include "catch.hpp"
#include "export/sample_class.hpp"
#include "pages/sample_report.hpp"

namespace student_view_test {

using namespace grader;
using namespace grader::pages;
using namespace testing;

ReportInput secret_report() {
  ReportInput input;
  input.all = secret_class();
  Score& score = input.all.submissions[0].results[0].score;
  score.counters["17x33x65"] = {{"secret_counter", 1}};
  score.counters["100x100x100"] = {{"shown_counter", 1}};
  LabPictures& pictures = input.pictures[{"alice", "02-tiled-matmul"}];
  pictures.files = {{"17x33x65-out.png", "\x89PNG\r\n"}};
  Result& result = input.all.submissions[0].results[0];
  result.provenance.source_sha256 = sha256_hex("x\n");
  input.sources[sha256_hex("x\n")] = "x\n";
  pictures.lines = FileLineCounters{"tiled_matmul.cu", sha256_hex("x\n"), "square-256", {}};
  return input;
}

TEST_CASE("students see neither hidden checks nor expected values of secret inputs") {
  const auto pages = make_pages(secret_report(), Audience::student);
  REQUIRE(pages.size() == 1);
  CHECK(pages[0].path == "submissions/alice.html");
  CHECK_THAT(pages[0].html, contains("hidden checks (1)") && contains("shown counter"));
  CHECK_THAT(pages[0].html, !contains("17x33x65") && !contains("98.75") && !contains("secret counter") &&
                                !contains("data:image") && !contains("index.html") &&
                                !contains("sectors/ideal"));
  const auto whole = make_pages(secret_report(), Audience::instructor);
  CHECK_THAT(whole[1].html, contains("17x33x65") && contains("98.75") && contains("secret counter") &&
                                contains("sectors/ideal"));
}

TEST_CASE("points of a student's page are those of the instructor's page") {
  const ReportInput input = secret_report();
  double before = 0, after = 0;
  for (const Check& check : input.all.submissions[0].results[0].score.checks) before += check.points;
  const ReportInput seen = student_view(input);
  for (const Check& check : seen.all.submissions[0].results[0].score.checks) after += check.points;
  CHECK(before == Approx(after));
}

TEST_CASE("a student's page contains nothing about others") {
  ReportInput input = attacked_report();
  input.all.summary.hand_ins["alice"].same_bytes["02-tiled-matmul"] = {"carol"};
  for (const Page& page : make_pages(input, Audience::student)) {
    CHECK(foreign_markup(page.html) == "");
    CHECK_THAT(page.html, !contains("no time is known"));
    if (page.path != "submissions/alice.html") continue;
    CHECK_THAT(page.html, !contains("carol") && !contains("absent") && contains("today"));
    CHECK_THAT(page.html, contains("86.52 %") && contains("clear figures"));  // the student's own grade
  }
}

}  // namespace student_view_test
