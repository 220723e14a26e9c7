// The output of a driver for Autolab (docs.autolabproject.com, "Writing Autograders"; parseAutoresult in its
// source). The last line is one JSON object with a score for each problem; the line before it has the same
// checks for Autolab's table. Before Autolab parses the last line, it puts quotes around every word before a
// colon, so names must not contain colons. A problem without a score keeps its present score. A line without
// any score would set all scores to 0, so a submission without a grade gets no file. Autolab cannot hide
// checks, so hidden checks are folded. The table's entries pass or fail, so what only informs is in the text
// alone.
#include <fmt/format.h>

#include "export/per_submission.hpp"
#include "report/json_number.hpp"
#include "score/check_words.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

Json scores_of(const GradedSubmission& one, const ExportOptions& options) {
  Json scores = Json::object();
  for (const Result& result : one.results)
    if (result.score.status != ResultStatus::grader_fault)
      scores[options.name_of(result.lab)] = json_number(result.score.score);
  return scores;
}

std::string driver_output(const ClassResults& all, const GradedSubmission& one, const Json& scores) {
  std::string text = overview(all, one) + "\n";
  Json stage = Json::object();
  for (const ShownCheck& check : shown_checks(all, one, Hidden::folded)) {
    if (!check.is_information)
      stage[check.name] = {{"passed", check.status == CheckStatus::pass}, {"hint", check.summary}};
    const CheckOutcome outcome = outcome_of(check.status, check.points, check.max_points);
    text += fmt::format("{}  {}\n", check.is_information ? "info" : words_of(outcome), check.name);
    for (const std::string& line : check.lines) text += "      " + line + "\n";
  }
  const Json table = {{"_presentation", "semantic"}, {"stages", {"Checks"}}, {"Checks", std::move(stage)}};
  return text + "\n" + dump(table, -1) + "\n" + dump({{"scores", scores}}, -1) + "\n";
}

}  // namespace

Expected<Exported, Diagnostic> export_autolab(const ClassResults& all, const ExportOptions& options) {
  for (const std::string& lab : all.summary.labs)
    if (options.name_of(lab).find(':') != std::string::npos)
      return Unexpected{not_expressible(
          "the problem `" + options.name_of(lab) + "` has a colon in its name",
          "Autolab misreads colons: rename the problem in Autolab and pass the new name with --name")};
  Exported exported = file_for_each(all, [&](const GradedSubmission& one) -> std::optional<std::string> {
    const Json scores = scores_of(one, options);
    if (scores.empty()) return std::nullopt;
    return driver_output(all, one, scores);
  });
  for (const GradedSubmission& one : all.submissions)
    if (all.lacks_grade(one) && !scores_of(one, options).empty())
      exported.left_out.push_back(
          {one.id, "one of its labs has no grade; Autolab keeps the lab's present score"});
  return exported;
}

}  // namespace grader
