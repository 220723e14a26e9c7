// Gradescope's results.json (gradescope-autograders.readthedocs.io, "Specifications"). "score" overrides the
// sum of the tests, whose points are rounded. A test without "score" and "status" only informs. All texts
// have the format "text", so nothing in them is markup. If one test is hidden, students do not see the total.
// The format cannot represent a missing grade, so no file is written in that case: Gradescope then shows that
// the autograder failed, and deducts no points.
#include <algorithm>

#include "export/per_submission.hpp"
#include "report/json_number.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

Json gradescope_test(const ShownCheck& check) {
  Json json = {{"name", check.name}, {"name_format", "text"}};
  if (!check.is_information) {
    json["score"] = json_number(check.points);
    json["max_score"] = json_number(check.max_points);
    json["status"] = check.status == CheckStatus::pass ? "passed" : "failed";
  }
  if (!check.lines.empty()) json["output"] = joined(check.lines);
  json["output_format"] = "text";
  json["visibility"] = to_string(check.visibility);
  return json;
}

std::optional<std::string> gradescope_json(const ClassResults& all, const GradedSubmission& one) {
  const auto points = total(all, one);
  if (!points) return std::nullopt;
  Json tests = Json::array();
  const std::vector<ShownCheck> checks = shown_checks(all, one, Hidden::marked);
  for (const ShownCheck& check : checks) tests.push_back(gradescope_test(check));
  // The text is always visible; a total in it would reveal the points of hidden tests.
  const bool is_open = std::all_of(checks.begin(), checks.end(), [](const ShownCheck& check) {
    return check.visibility == Visibility::visible;
  });
  const Json results = {{"score", json_number(points->score)},
                        {"output", overview(all, one, is_open ? Totals::shown : Totals::withheld)},
                        {"output_format", "text"},
                        {"visibility", "visible"},
                        {"stdout_visibility", "hidden"},
                        {"tests", std::move(tests)}};
  return dump(results, 2) + "\n";
}

}  // namespace

Expected<Exported, Diagnostic> export_gradescope(const ClassResults& all, const ExportOptions& /*options*/) {
  return file_for_each(all, [&](const GradedSubmission& one) { return gradescope_json(all, one); });
}

}  // namespace grader
