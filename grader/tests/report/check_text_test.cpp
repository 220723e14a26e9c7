#include "report/check_text.hpp"

#include <algorithm>
#include <sstream>

#include "catch.hpp"
#include "report/diagnostic_text.hpp"
#include "report/sample.hpp"

using namespace grader;
using namespace testing;

namespace {

const CheckPage kPage{"labs/02-tiled-matmul/tiled_matmul.cu", "labs/02-tiled-matmul/hints.md"};

std::string page(const Result& result, const Terminal& terminal) {
  return check_text(sample_lab(), result, kPage, terminal);
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, columns(line));
  return most;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; });
}

}  // namespace

TEST_CASE("the page of an accepted result is as approved") {
  const auto text = page(accepted_result(), plain());
  CHECK(text == golden("check-accepted.txt", text));
}

TEST_CASE("with all points, the page names the timed kernel's limits, the write-up and the next lab") {
  CheckPage complete = kPage;
  complete.limits = {
      "tiled_kernel: limited by DRAM; occupancy 100 % (6 blocks per SM, limited by threads (256 per block))"};
  complete.write_up_path = "labs/02-tiled-matmul/README.md";
  complete.hand_in = "warpgrade handin 02-tiled-matmul";
  complete.next_lab = "03-reduction-divergence";
  const auto of = [&](const Result& result, const Terminal& terminal) {
    return check_text(sample_lab(), result, complete, terminal);
  };
  const auto wide = of(accepted_result(), plain()), narrow = of(accepted_result(), window(60));
  CHECK(wide == golden("check-complete.txt", wide));
  CHECK(narrow == golden("check-complete-60.txt", narrow));
  CHECK(widest(narrow) <= 60);
  const auto failing = of(failing_result(), plain());
  CHECK_THAT(failing, contains("limited by DRAM") && !contains("Write-up") && !contains("Next lab") &&
                          !contains("Hand in"));
}

TEST_CASE("with a complete core, the page names what the bonus tasks can still give") {
  CheckPage complete = kPage;
  complete.command = "warpgrade check 02-tiled-matmul";
  complete.write_up_path = "labs/02-tiled-matmul/README.md";
  complete.hand_in = "warpgrade handin 02-tiled-matmul";
  complete.next_lab = "03-reduction-divergence";
  const auto of = [&](const Result& result) { return check_text(bonus_lab(), result, complete, plain()); };
  const auto open = of(bonus_result());
  CHECK(open == golden("check-bonus.txt", open));
  Result solved = bonus_result();
  solved.score.checks.back() = accepted_result().score.checks.front();
  solved.score.checks.back().id = "any-width/width-24";
  solved.score.checks.back().task = "any-width";
  solved.score.checks.back().is_bonus = true;
  solved.score.checks.back().points = solved.score.checks.back().max_points = 10;
  solved.score.score = 110;
  CHECK_THAT(of(solved), contains("\n110/100 points, 10 of them bonus. All checks passed.\n"));
}

TEST_CASE("with both devices, the page names the device of each task's points") {
  const auto wide = page(both_devices_result(), plain()), narrow = page(both_devices_result(), window(60));
  CHECK(wide == golden("check-both-devices.txt", wide));
  CHECK(widest(narrow) <= 60);
}

TEST_CASE("the page has the line that runs the first failed case alone") {
  CheckPage own = kPage;
  own.command = "warpgrade check 02-tiled-matmul --source 'my file.cu'";
  const auto text = check_text(sample_lab(), failing_result(), own, plain());
  CHECK_THAT(text, contains("\nThis case alone: warpgrade check 02-tiled-matmul --source 'my file.cu' --case "
                            "boundary/17x33x65\n"));
  CHECK_THAT(check_text(sample_lab(), compile_error_result(), own, plain()), !contains("--case"));
}

TEST_CASE("a warning is shown below the result and does not change it") {
  Result result = accepted_result();
  Diagnostic leak =
      diagnose("WG-M09", "the program ends with 1 allocation of device memory not freed", "free it");
  leak.severity = Severity::warning;
  for (std::size_t i = 0; i < 2; ++i) result.score.checks.at(i).diagnostics = {leak};
  const auto text = page(result, plain());
  CHECK_THAT(text, contains("warning[WG-M09]: the program ends with 1 allocation") &&
                       contains("All checks passed.") && !contains("FAIL"));
  CHECK(text.find("WG-M09]") == text.rfind("WG-M09]"));
}

TEST_CASE("a warning about a mistake that costs points elsewhere is not shown again") {
  Result result = failing_result();
  Diagnostic warning = result.score.checks.at(3).diagnostics.at(0);
  warning.severity = Severity::warning;
  result.score.checks.at(0).diagnostics = {warning};
  CHECK_THAT(page(result, plain()), !contains("warning["));
  result.score.checks.at(0).diagnostics.at(0).where->line += 1;
  CHECK_THAT(page(result, plain()), contains("warning["));
}

TEST_CASE("a counter with a limit of its own is shown below its objective only if it misses the limit") {
  Lab lab = sample_lab();
  Result result = accepted_result();
  lab.tasks[2].objectives[0].related = {{.counter = "flops", .naive = 1, .solution = 1, .at_most = 2}};
  result.score.counters["square-256"]["flops"] = 1;
  CHECK_THAT(performance_text(lab, result.score, plain()), !contains("flops  "));
  result.score.counters["square-256"]["flops"] = 3;
  result.score.checks.at(3).status = CheckStatus::fail;
  CHECK_THAT(performance_text(lab, result.score, plain()), contains("flops  ") && contains("≤ 2"));
}

TEST_CASE("an objective with one right value shows that value") {
  Lab lab = sample_lab();
  lab.tasks[2].objectives[0].at_least = lab.tasks[2].objectives[0].at_most = 64;
  CHECK_THAT(performance_text(lab, accepted_result().score, plain()), contains("0.25         64      4"));
}

TEST_CASE("the page names the section of hints for the task to work on") {
  Lab lab = sample_lab();
  lab.tasks[1].hints = "Any shape";
  CHECK_THAT(check_text(lab, failing_result(), kPage, plain()),
             contains("\nHints, mild to strong: labs/02-tiled-matmul/hints.md, Any shape\n"));
}

TEST_CASE("an objective within its limits that another one fails has its reason in a row of its own") {
  Result result = accepted_result();
  result.score.checks.at(3).status = CheckStatus::fail;
  result.score.checks.at(3).verdict = Verdict::too_slow;
  CHECK_THAT(performance_text(sample_lab(), result.score, plain()),
             contains("4      0.25  pass") && contains("\n      counts only with the others") &&
                 contains("  FAIL\n"));
}

TEST_CASE("the page of a failing result is as approved, piped, narrow, coloured and in ASCII") {
  const auto piped = page(failing_result(), plain());
  CHECK(piped == golden("check-failing.txt", piped));
  const auto narrow = page(failing_result(), window(60));
  CHECK(narrow == golden("check-failing-60.txt", narrow));
  const auto color = page(failing_result(), colored());
  CHECK(color == golden("check-failing-color.txt", color));
  const auto simple = page(failing_result(), ascii());
  CHECK(simple == golden("check-failing-ascii.txt", simple));
}

TEST_CASE("a task with limited points passes, and the page shows what limits them") {
  const auto text = page(limited_result(), plain(100));
  CHECK_THAT(
      text, contains("  part  Speed-up over the naive kernel           5/20  limited to 25 % by boundary\n"));
  CHECK_THAT(text, contains("42.5/100 points."));
}

TEST_CASE("a failed task with limited points shows its diagnostic") {
  Result result = limited_result();
  Check& traffic = result.score.checks.at(6);
  traffic.points = 4;
  traffic.cap = Cap{2.0 / 3, "tiling"};
  CHECK_THAT(page(result, plain(100)), contains("4/20  WG-P01\n"));
}

TEST_CASE("the page of a source that does not compile names the error once") {
  const auto text = page(compile_error_result(), plain());
  CHECK(text == golden("check-compile-error.txt", text));
  CHECK(text.find("error[WG-C01]") == text.rfind("error[WG-C01]"));
}

TEST_CASE("a line of a header is shown under the header's name") {
  Result result = compile_error_result();
  result.score.checks.front().diagnostics.front().where->file = "lab_check.cuh";
  const auto text = page(result, plain());
  CHECK_THAT(text, contains("--> lab_check.cuh:7"));
  CHECK_THAT(text, !contains("tiled_matmul.cu:7"));
}

TEST_CASE("the page of a file with another name names that file only") {
  Result result = failing_result();
  for (Check& check : result.score.checks)
    for (Diagnostic& one : check.diagnostics)
      one.first += "; issued at tiled_matmul.cu:12, not at my_tiled_matmul.cu:13";
  const CheckPage own{"answers/mine.cu", ""};
  const auto text = check_text(sample_lab(), result, own, plain(200));
  CHECK_THAT(text, contains("--> answers/mine.cu:") && contains("issued at mine.cu:12") &&
                       contains("not at my_tiled_matmul.cu:13") && !contains(" tiled_matmul.cu:"));
}

TEST_CASE("a grader fault gives no points and is reported as such") {
  Result result = accepted_result();
  result.score.status = ResultStatus::grader_fault;
  const auto text = page(result, plain());
  CHECK_THAT(text, contains("No grade"));
  CHECK_THAT(text, !contains("100/100 points"));
}

TEST_CASE("no line is wider than the terminal") {
  for (const std::size_t width : {60U, 80U, 120U}) {
    CHECK(widest(page(failing_result(), window(width))) <= width);
    CHECK(widest(page(accepted_result(), window(width))) <= width);
  }
}

TEST_CASE("files and pipes get diagnostics without a cut, whatever the width") {
  for (const std::size_t width : {40U, 80U}) {
    const auto text = page(failing_result(), plain(width));
    CHECK_THAT(text, contains("WG-M02 tiled_matmul.cu:42\n") && contains("it should be at most 0.3\n"));
    CHECK_THAT(page(failing_result(), window(60)), !contains("at most 0.3\n"));
  }
}

TEST_CASE("a mistake on the command line has neither a code nor a page") {
  const auto text = diagnostic_text(usage_error("there is no lab `9`", "use one of: 1, 2"), "", plain());
  CHECK(text == "error: there is no lab `9`\n  try: use one of: 1, 2\n");
}

TEST_CASE("the failed checks alone are the diagnostics and the hints, and nothing if all passed") {
  const auto text = failure_text(sample_lab(), failing_result(), kPage, plain());
  CHECK_THAT(text, contains("error[WG-M02]") && contains("also WG-P01") && contains("hints.md") &&
                       !contains("points"));
  CHECK(failure_text(sample_lab(), accepted_result(), kPage, plain()).empty());
}

TEST_CASE("without colour there are no escape bytes, even if the student's line contains one") {
  CHECK(page(failing_result(), plain()).find('\x1b') == std::string::npos);
  CHECK(page(failing_result(), ascii()).find('\x1b') == std::string::npos);
}

TEST_CASE("without a UTF-8 locale the page is ASCII") { CHECK(is_ascii(page(failing_result(), ascii()))); }

TEST_CASE("the colour is repeated in words") {
  CHECK_THAT(page(failing_result(), plain()), contains("FAIL") && contains("pass") && contains("skip"));
}

TEST_CASE("the page of one case has the diagnostic, but no points") {
  Result result = failing_result();
  result.score.checks = {result.score.checks.at(3)};
  const auto text = case_text(sample_lab(), result, kPage, plain());
  CHECK_THAT(text, contains("FAIL  17x33x65") && contains("error[WG-M02]") && contains("hints.md"));
  CHECK_THAT(text, !contains("points"));
}
