// The result of a runner for GitHub Classroom's autograding reporter, which reads base64-encoded JSON
// (classroom-resources/autograding-grading-reporter). The reporter prints messages to the log of an action.
// There, a line that begins with "::" and any "##[" is a command, so both are broken up. The reporter cannot
// hide checks, so hidden checks are folded. The format cannot represent a missing grade, so a submission
// without a grade gets no file, and its step fails.

#include "base/sha256.hpp"
#include "export/per_submission.hpp"
#include "report/json_number.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

/// Changes the text so that no line is a command to the runner.
std::string inert(std::string text) {
  for (std::size_t at = text.find("##["); at != std::string::npos; at = text.find("##[", at))
    text.insert(at + 2, " ");
  for (std::size_t at = text.find("::"); at != std::string::npos; at = text.find("::", at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1 is 0
    if (text.find_first_not_of(' ', line) == at) text.insert(at, "'");
  }
  return text;
}

Json classroom_test(const ShownCheck& check) {
  const std::string message = inert(joined(check.lines));
  return {{"name", inert(check.name)},
          {"status", check.status == CheckStatus::pass ? "pass" : "fail"},
          {"score", json_number(check.points)},
          {"max_score", json_number(check.max_points)},
          {"message", message.empty() ? Json(nullptr) : Json(message)},
          {"test_code", ""},
          {"filename", inert(check.file)},
          {"line_no", check.line > 0 ? Json(check.line) : Json(nullptr)},
          {"execution_time", "0ms"}};
}

std::optional<std::string> runner_result(const ClassResults& all, const GradedSubmission& one) {
  const auto points = total(all, one);
  if (!points) return std::nullopt;
  Json tests = Json::array();
  bool passed = true;
  for (const ShownCheck& check : shown_checks(all, one, Hidden::folded)) {
    passed = passed && check.status == CheckStatus::pass;
    tests.push_back(classroom_test(check));
  }
  return base64(dump({{"version", 1},
                      {"status", passed ? "pass" : "fail"},
                      {"max_score", json_number(points->max_score)},
                      {"tests", std::move(tests)}},
                     -1)) +
         "\n";
}

}  // namespace

Expected<Exported, Diagnostic> export_github_classroom(const ClassResults& all,
                                                       const ExportOptions& /*options*/) {
  return file_for_each(all, [&](const GradedSubmission& one) { return runner_result(all, one); });
}

}  // namespace grader
