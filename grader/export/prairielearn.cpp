// PrairieLearn's results.json of an external grader (prairielearn.readthedocs.io, "External grading").
// "score" is a fraction from 0 to 1. A submission that could not be graded (a missing file, a file that does
// not compile, a fault of the grader) is "gradable": false, which costs no attempt. The format cannot hide
// checks, so hidden checks are folded. PrairieLearn interprets ANSI sequences in texts; these texts contain
// none. A test without points would hide the points of all, so "output" alone has what only informs. The file
// can have up to 1 MB.
#include <algorithm>
#include <cmath>

#include "export/per_submission.hpp"
#include "report/json_number.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxFileBytes = 1000 * 1000;

Json not_gradable(const ClassResults& all, const GradedSubmission& one, const std::string& why) {
  Json errors = Json::array({why});
  for (const ShownCheck& check : shown_checks(all, one, Hidden::folded))
    if (check.status == CheckStatus::fail)
      for (const std::string& line : check.lines) errors.push_back(line);
  return {{"gradable", false}, {"format_errors", std::move(errors)}};
}

Json prairielearn_test(const ShownCheck& check, std::size_t max_output_bytes) {
  Json json = {{"name", check.name},
               {"points", json_number(check.points)},
               {"max_points", json_number(check.max_points)}};
  if (!check.summary.empty()) json["message"] = joined({check.summary}, max_output_bytes);
  if (!check.lines.empty()) json["output"] = joined(check.lines, max_output_bytes);
  return json;
}

Json graded(const ClassResults& all, const GradedSubmission& one, const Points& points,
            std::size_t max_output_bytes) {
  Json tests = Json::array();
  for (const ShownCheck& check : shown_checks(all, one, Hidden::folded))
    if (!check.is_information) tests.push_back(prairielearn_test(check, max_output_bytes));
  const double share = points.max_score > 0 ? std::clamp(points.score / points.max_score, 0.0, 1.0) : 0;
  return {{"gradable", true},
          {"score", json_number(share)},
          {"output", overview(all, one)},
          {"tests", std::move(tests)}};
}

/// Why no case was run; empty if any was.
std::string refused(const GradedSubmission& one) {
  for (const Result& result : one.results) {
    if (result.score.status == ResultStatus::rejected) return "The submission cannot be graded as it is.";
    if (result.score.verdict == Verdict::compile_error || result.score.verdict == Verdict::compile_limit)
      return "The submission does not compile.";
  }
  return {};
}

std::string prairielearn_json(const ClassResults& all, const GradedSubmission& one) {
  const auto points = total(all, one);
  if (!points)
    return dump(
        {{"gradable", false},
         {"format_errors",
          {"The grader or its machine failed, not your submission. Please inform the course staff."}}},
        2);
  if (const std::string why = refused(one); !why.empty()) return dump(not_gradable(all, one, why), 2);
  for (std::size_t max_output_bytes = 8192; max_output_bytes > 1; max_output_bytes /= 8) {
    std::string bytes = dump(graded(all, one, *points, max_output_bytes), 2);
    if (bytes.size() < kMaxFileBytes) return bytes;
  }
  Json bare = graded(all, one, *points, 0);
  bare.erase("tests");
  return dump(bare, 2);
}

}  // namespace

Expected<Exported, Diagnostic> export_prairielearn(const ClassResults& all,
                                                   const ExportOptions& /*options*/) {
  Exported exported = file_for_each(
      all, [&](const GradedSubmission& one) { return std::optional(prairielearn_json(all, one) + "\n"); });
  for (const GradedSubmission& one : all.submissions)
    if (all.lacks_grade(one)) exported.left_out.push_back({one.id, kNoGrade});
  return exported;
}

}  // namespace grader
