#include "pages/questions_html.hpp"

#include <fmt/format.h>

#include "pages/html.hpp"
#include "pages/question_analysis.hpp"
#include "report/numbers.hpp"
#include "report/questions_text.hpp"

namespace grader::pages {
namespace {

std::string answer_html(AnswerStatus status) {
  switch (status) {
    case AnswerStatus::right:
      return "<span class=\"good\">✓ right</span>";
    case AnswerStatus::wrong:
      return "<span class=\"bad\">✗ wrong</span>";
    case AnswerStatus::invalid:
      return "<span class=\"bad\">✗ invalid</span>";
    case AnswerStatus::missing:
      return "<span class=\"quiet\">– missing</span>";
    case AnswerStatus::open:
      return "<span class=\"warning\">! open</span>";
  }
  return {};
}

std::string count_cell(std::size_t value) {
  return number_cell(static_cast<double>(value), count_text(value));
}

std::string row_of(const QuestionItem& item) {
  return "<tr>" + row_heading(text(item.id)) + number_cell(item.points, points_text(item.points)) +
         count_cell(item.results) +
         number_cell(item.share_right, fmt::format("{:.0f} %", 100 * item.share_right)) +
         (item.discrimination ? number_cell(*item.discrimination, fmt::format("{:.2f}", *item.discrimination))
                              : empty_cell()) +
         count_cell(item.count(AnswerStatus::wrong)) + count_cell(item.count(AnswerStatus::invalid)) +
         count_cell(item.count(AnswerStatus::missing)) + count_cell(item.count(AnswerStatus::open)) +
         "</tr>\n";
}

std::string lab_table(const std::string& lab, const std::vector<const QuestionsOutcome*>& outcomes) {
  std::string rows;
  for (const QuestionItem& item : question_analysis(outcomes)) rows += row_of(item);
  if (rows.empty()) return {};
  return table("Questions of " + lab,
               {{"question"},
                {"points", true},
                {"submissions", true},
                {"right", true},
                {"discrimination", true},
                {"wrong", true},
                {"invalid", true},
                {"missing", true},
                {"open", true}},
               rows, "class=\"sortable\"");
}

}  // namespace

std::string questions_html(const Result& result) {
  if (!result.questions) return {};
  const QuestionsOutcome& outcome = *result.questions;
  std::string html = "<h3>Questions</h3>\n<p>" + text(tally_text(outcome)) + "</p>\n";
  if (outcome.is_refused()) return html;
  std::string rows;
  for (const GradedAnswer& one : outcome.answers)
    rows += "<tr>" + row_heading(text(one.id)) + cell(answer_html(one.status)) +
            number_cell(one.points, points_html(one.points, one.max_points)) + "</tr>\n";
  rows += "<tr class=\"task\">" + row_heading("all questions") + "<td></td>" +
          number_cell(outcome.points(), points_html(outcome.points(), outcome.max_points())) + "</tr>\n";
  return html +
         table("Answers for the name " + outcome.name, {{"question"}, {"status"}, {"points", true}}, rows);
}

std::string questions_section(const ClassResults& all) {
  std::string html;
  for (const std::string& lab : all.summary.labs) {
    std::vector<const QuestionsOutcome*> outcomes;
    std::size_t refused = 0;
    for (const GradedSubmission& one : all.submissions) {
      const Result* result = one.find(lab);
      if (result == nullptr || !result->questions) continue;
      if (result->questions->is_refused())
        ++refused;
      else
        outcomes.push_back(&*result->questions);
    }
    html += lab_table(lab, outcomes);
    if (refused > 0)
      html += fmt::format(
          "<p>Files of answers to {} that were not graded: {}. The submissions' pages say "
          "why.</p>\n",
          text(lab), refused);
  }
  if (html.empty()) return {};
  return "<p><em>Right</em> is the share of the submissions with answers that answered the question right. "
         "<em>Discrimination</em> is the correlation of a right answer with the points of the lab's other "
         "questions, as in the item analysis. <em>Open</em> answers depend on a run that the submission "
         "lacks."
         "</p>\n" +
         html;
}

}  // namespace grader::pages
