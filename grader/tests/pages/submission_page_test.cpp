#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "catch.hpp"
#include "pages/sample_report.hpp"
#include "pages/source_listing.hpp"
#include "report/sample.hpp"

namespace submission_page_test {

using namespace grader;
using namespace grader::pages;
using namespace testing;

std::string page_of(const ReportInput& input, const std::string& id) {
  for (const GradedSubmission& one : input.all.submissions)
    if (one.id == id) return submission_page(input, one, Audience::instructor);
  return "";
}

ReportInput with_source(const std::string& source) {
  ReportInput input;
  input.all.summary.labs = {"02-tiled-matmul"};
  add_submission(input, "a", failing_result(), source);
  return input;
}

TEST_CASE("the pages of an attacked class contain their own markup only") {
  for (const Page& page : make_pages(attacked_report(), Audience::instructor)) {
    INFO(page.path);
    CHECK(foreign_markup(page.html) == "");
  }
}

TEST_CASE("with both devices, the checks have a column for the device of their points") {
  ReportInput input;
  input.all.summary.labs = {"02-tiled-matmul"};
  add_submission(input, "a", both_devices_result(), "");
  add_submission(input, "b", accepted_result(), "");
  CHECK_THAT(page_of(input, "a"),
             contains("scope=\"col\">device</th>") && contains("both, lecture, NVIDIA H200"));
  CHECK_THAT(page_of(input, "b"), !contains("scope=\"col\">device</th>"));
}

TEST_CASE("the checks of passed tasks and a source without findings are closed, all others are open") {
  ReportInput input;
  input.all.summary.labs = {"02-tiled-matmul"};
  add_submission(input, "a", failing_result(), "int a;");
  add_submission(input, "b", accepted_result(), "int b;");
  const std::string failed = page_of(input, "a"), passed = page_of(input, "b");
  CHECK_THAT(passed, contains("<summary>Checks of passed tasks (") && contains("<summary>Source</summary>"));
  const std::string open = failed.substr(0, failed.find("<details>"));
  CHECK_THAT(open, contains("✗ FAIL") && contains("Any shape: boundary checks"));
  CHECK_THAT(passed.substr(0, passed.find("<details>")), !contains("class=\"below\""));
}

TEST_CASE("a check whose points another task limits is a part, not a pass") {
  ReportInput input;
  input.all.summary.labs = {"02-tiled-matmul"};
  add_submission(input, "a", limited_result(), "");
  CHECK_THAT(page_of(input, "a"), contains("! part</span>") && contains("limited to 25 % by boundary"));
}

TEST_CASE("points of bonus tasks are part of the points, and the page says how many") {
  Result solved = bonus_result();
  Check& bonus = solved.score.checks.back();
  bonus.status = CheckStatus::pass;
  bonus.task_title = "Tiles of any width";
  bonus.points = bonus.max_points;
  solved.score.score = 110;
  ReportInput input;
  input.all.summary.labs = {"02-tiled-matmul"};
  add_submission(input, "a", solved, "");
  add_submission(input, "b", bonus_result(), "");
  CHECK_THAT(page_of(input, "a"), contains("<strong>110") && contains(" points, 10 of them bonus") &&
                                      contains("Tiles of any width (bonus)"));
  CHECK_THAT(page_of(input, "b"), !contains("of them bonus"));
}

TEST_CASE("hostile programs as sources, names and messages stay text") {
  const std::filesystem::path corpus = WARPGRADE_SOURCE_DIR "/grader/tests/hostile";
  std::size_t programs = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(corpus)) {
    if (file.path().extension() != ".cu") continue;
    const auto source = read_file(file.path(), kMaxSourceBytes);
    REQUIRE(source.has_value());
    ReportInput input = with_source(*source);
    Diagnostic& diagnostic = input.all.submissions[0].results[0].score.checks[3].diagnostics[0];
    diagnostic.what = diagnostic.first = diagnostic.source_line = *source;
    INFO(file.path());
    CHECK(foreign_markup(page_of(input, "a")) == "");
    ++programs;
  }
  CHECK(programs > 20);
}

TEST_CASE("the receipt's line is on the page, as text") {
  ReportInput input = with_source("");
  Result& result = input.all.submissions[0].results[0];
  CHECK_THAT(page_of(input, "a"), !contains("receipt: "));
  result.receipt =
      ReceiptFacts{"", "2026-01-31", "<script>", result.score.score, result.score.max_score, true};
  CHECK_THAT(page_of(input, "a"),
             contains("receipt: packed 2026-01-31 by warpgrade &lt;script&gt;") && contains("as graded"));
}

TEST_CASE("a finding is below its line, and links to its description") {
  std::string source;
  for (int i = 1; i < 42; ++i) source += "// line\n";
  const std::string line = failing_result().score.checks[3].diagnostics[0].source_line;
  const std::string html = page_of(with_source(source + line + "\n// end\n"), "a");
  CHECK_THAT(html, contains("<li id=\"02-tiled-matmul-L42\" class=\"found\">"));
  CHECK_THAT(html, contains("href=\"#02-tiled-matmul-L42\">tiled_matmul.cu:42</a>"));
  CHECK_THAT(html, contains("<p class=\"note bad\"><a href=\"#02-tiled-matmul-F1\">WG-M02</a>"));
  CHECK_THAT(html, contains("<article id=\"02-tiled-matmul-F1\""));
}

TEST_CASE("a finding about another file marks no line") {
  const std::string html = page_of(with_source(std::string(100, '\n')), "a");
  CHECK_THAT(html, !contains("class=\"found\"") && contains("<dd>tiled_matmul.cu:42</dd>"));
}

TEST_CASE("one mistake that fails several checks is described once") {
  const std::string html = page_of(with_source("x\n"), "a");
  CHECK_THAT(html, contains("Any shape: boundary checks / 17x33x65, Any shape: boundary checks / 31x1x257"));
}

TEST_CASE("checks have the titles of their tasks, objectives the words of the check's table") {
  const std::string html = page_of(with_source("x\n"), "a");
  CHECK_THAT(html, contains(">Traffic with global memory</th>") &&
                       contains(">global load requested B/flop (square-256)</th>"));
  CHECK_THAT(html, !contains("global_load_requested"));
}

TEST_CASE("a submission's page shows which kernels are not exact, or that all are") {
  ReportInput input = with_source("x\n");
  Score& score = input.all.submissions[0].results[0].score;
  CHECK_THAT(page_of(input, "a"), !contains("Arithmetic"));
  score.inexact.emplace();
  CHECK_THAT(page_of(input, "a"), contains("<p>Arithmetic: exact: no approximate function.</p>"));
  vgpu::Approximations found;
  found.functions = {{"ex2.approx.f32", 1, {"<i>.cu", 5}}};
  score.inexact = {{"<b>blur", found}};
  CHECK_THAT(page_of(input, "a"), contains("&lt;b&gt;blur is approximate: ex2.approx.f32 (&lt;i&gt;.cu:5)"));
}

TEST_CASE("a source of many lines or of one long line gives a page of limited size") {
  CHECK_THAT(page_of(with_source(std::string(kMaxSourceBytes, '\n')), "a"), contains("… 1044576 more lines"));
  CHECK(page_of(with_source(std::string(kMaxSourceBytes, '\n')), "a").size() < std::size_t{1} << 20U);
  CHECK(page_of(with_source(std::string(kMaxSourceBytes, '<')), "a").size() < 100000);
}

TEST_CASE("a submission whose file is missing has a page that says so") {
  ReportInput input = with_source("x\n");
  input.sources.clear();
  CHECK_THAT(page_of(input, "a"), contains("The submitted file is not available"));
}

TEST_CASE("pictures are images within the page") {
  const std::string html = page_of(attacked_report(), "alice");
  CHECK_THAT(
      html,
      contains(
          "<img src=\"data:image/png;base64,iVBORw0KGgo=\" alt=\"Errors in out of case &lt;b&gt;: white"));
  CHECK(html.find("Blue values are NaN") < html.find("<img src"));  // the legend precedes the pictures
  CHECK_THAT(html, contains("data:image/svg+xml;base64,PHN2Zy") && contains("Blue values are NaN"));
}

TEST_CASE("the counters of a line precede it, and bad values have a mark") {
  ReportInput input = with_source("first\nsecond\n");
  LabPictures& pictures = input.pictures[{input.all.submissions[0].file_name, "02-tiled-matmul"}];
  pictures.lines = FileLineCounters{"tiled_matmul.cu", sha256_hex("first\nsecond\n"), "square-256", {}};
  pictures.lines->lines.push_back({2, 62.5, 31.254, PerRequest{32, 4}, PerRequest{1, 1}, 0.0});
  pictures.lines->lines.push_back({77, 1, {}, {}, {}, {}});  // not a line of the file
  const std::string html = page_of(input, "a");
  CHECK_THAT(html, contains("in case <code>square-256</code>"));
  CHECK_THAT(
      html, contains("<span class=\"counters\"> share  lanes  sectors/ideal  wavefr./ideal  div. % </span>"));
  CHECK_THAT(html,
             contains("<span class=\"counters\">  62.5  31.25 <span class=\"bad\">          32/4!</span>"
                      "           1/1       0 </span><code>second</code>"));
  CHECK_THAT(html, contains("<span class=\"counters\"></span><code>first</code>"));
  CHECK(foreign_markup(html) == "");
}

TEST_CASE("counters of another version of the file, or damaged ones, are not shown") {
  ReportInput input = with_source("first\n");
  LabPictures& pictures = input.pictures[{input.all.submissions[0].file_name, "02-tiled-matmul"}];
  pictures.lines = FileLineCounters{"tiled_matmul.cu", std::string(64, '0'), "square-256", {}};
  CHECK_THAT(page_of(input, "a"),
             contains("belong to another version of the file") && !contains("sectors/ideal"));
  pictures = {{}, {}, "is not JSON: <script>"};
  CHECK_THAT(page_of(input, "a"),
             contains("line-counters.json: is not JSON: &lt;script&gt;. Make them again"));
}

// Not a test of its own: browser/pages_test.mjs runs it to get pages to open.
TEST_CASE("pages for a browser", "[.browser]") {
  const char* folder = std::getenv("WARPGRADE_PAGES");
  if (folder == nullptr) {
    SUCCEED("WARPGRADE_PAGES is not set");
    return;
  }
  for (const Page& page : make_pages(large_report(500), Audience::instructor)) {
    const std::filesystem::path file = std::filesystem::path(folder) / page.path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << page.html;
  }
}

}  // namespace submission_page_test
