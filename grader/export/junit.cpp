// JUnit XML with the elements and attributes that `ctest --output-junit` writes, one test suite per
// submission and lab. A fault of the grader is an error, not a failure. Students can read the logs of their
// own continuous integration, so hidden checks are folded.
#include <algorithm>

#include <fmt/format.h>

#include "export/formats.hpp"
#include "export/per_submission.hpp"
#include "report/markup.hpp"
#include "report/numbers.hpp"

namespace grader {
namespace {

std::string_view status_word(CheckStatus status) {
  switch (status) {
    case CheckStatus::pass:
      return "run";
    case CheckStatus::fail:
      return "fail";
    case CheckStatus::skip:
      break;
  }
  return "notrun";
}

std::string testcase(const ShownCheck& check, const std::string& suite) {
  std::string xml = fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"0\" status=\"{}\">\n",
                                markup_text(check.name), suite, status_word(check.status));
  const std::string message = markup_text(check.summary);
  if (check.status == CheckStatus::fail) xml += fmt::format("      <failure message=\"{}\"/>\n", message);
  if (check.status == CheckStatus::skip) xml += fmt::format("      <skipped message=\"{}\"/>\n", message);
  std::vector<std::string> lines;
  if (!check.is_information)
    lines.push_back(fmt::format("{} of {} points", points_text(check.points), points_text(check.max_points)));
  lines.insert(lines.end(), check.lines.begin(), check.lines.end());
  return xml +
         fmt::format("      <system-out>{}</system-out>\n    </testcase>\n", markup_text(joined(lines)));
}

std::string fault_suite(const std::string& suite) {
  return fmt::format(
      "  <testsuite name=\"{0}\" tests=\"1\" failures=\"0\" errors=\"1\" disabled=\"0\" skipped=\"0\" "
      "time=\"0\">\n"
      "    <testcase name=\"grading\" classname=\"{0}\" time=\"0\" status=\"notrun\">\n"
      "      <error message=\"{1}\"/>\n    </testcase>\n  </testsuite>\n",
      suite, kNoGrade);
}

std::string test_suite(const GradedSubmission& one, const Result& result) {
  const std::string suite = markup_text(one.id + "/" + result.lab);
  if (result.score.status == ResultStatus::grader_fault) return fault_suite(suite);
  ClassResults of_lab;
  of_lab.summary.labs = {result.lab};
  GradedSubmission part = one;
  part.results = {result};
  const auto checks = shown_checks(of_lab, part, Hidden::folded);
  const auto count = [&](CheckStatus status) {
    return std::count_if(checks.begin(), checks.end(),
                         [&](const ShownCheck& check) { return check.status == status; });
  };
  std::string xml = fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" disabled=\"0\" skipped=\"{}\" "
      "time=\"0\">\n",
      suite, checks.size(), count(CheckStatus::fail), count(CheckStatus::skip));
  for (const ShownCheck& check : checks) xml += testcase(check, suite);
  return xml + "  </testsuite>\n";
}

}  // namespace

Expected<Exported, Diagnostic> export_junit(const ClassResults& all, const ExportOptions& /*options*/) {
  Exported exported;
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const GradedSubmission& one : all.submissions) {
    for (const Result& result : one.results) xml += test_suite(one, result);
    if (all.lacks_grade(one)) exported.left_out.push_back({one.id, kNoGrade});
  }
  exported.files = {{"", xml + "</testsuites>\n"}};
  return exported;
}

}  // namespace grader
