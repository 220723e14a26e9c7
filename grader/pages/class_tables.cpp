// Sections of the class's page that are tables of submissions.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/shown.hpp"
#include "pages/class_sections.hpp"
#include "pages/common_diagnostics.hpp"
#include "pages/course_html.hpp"
#include "pages/html.hpp"
#include "report/numbers.hpp"

namespace grader::pages {
namespace {

constexpr std::size_t kMaxNames = 8;  // longer lists of submissions are folded

std::string result_cells(const Result* result) {
  if (result == nullptr) return empty_cell() + "<td></td>";
  const Score& score = result->score;
  const Diagnostic* first = first_diagnostic(score);
  std::string words = verdict_html(score.verdict);
  if (first != nullptr) words += " " + code_html(first->code);
  const bool has_grade = score.status != ResultStatus::grader_fault;
  return (has_grade ? number_cell(score.score, points_html(score.score, score.max_score)) : empty_cell()) +
         cell(words);
}

std::string total_cell(const ClassResults& all, const GradedSubmission& one) {
  const auto points = total(all, one);
  return points ? number_cell(points->score, points_html(points->score, points->max_score)) : empty_cell();
}

/// Answers were handed in by anybody, so the lab has a column for them.
bool has_answers(const ClassResults& all, const std::string& lab) {
  return std::any_of(all.submissions.begin(), all.submissions.end(), [&](const GradedSubmission& one) {
    const Result* result = one.find(lab);
    return result != nullptr && result->questions;
  });
}

std::string answers_cell(const Result* result) {
  if (result == nullptr || !result->questions) return empty_cell();
  if (result->questions->is_refused()) return number_cell(0, "not graded");
  const QuestionsTally tally = result->questions->tally();
  return number_cell(static_cast<double>(tally.right), fmt::format("{} of {}", tally.right, tally.count));
}

std::string course_cell(const ReportInput& input, const GradedSubmission& one) {
  const course::StudentGrade* grade = course_grade(input, one.id);
  if (grade == nullptr || !grade->percent) return empty_cell();
  return number_cell(*grade->percent, points_text(*grade->percent) + " %");
}

std::string submission_row(const ReportInput& input, const GradedSubmission& one,
                           const std::set<std::string>& asking) {
  const ClassResults& all = input.all;
  std::string name = submission_link(one);
  if (!one.identity.name.empty()) name += " <span class=\"of\">" + text(one.identity.name, 200) + "</span>";
  std::string row = "<tr>" + row_heading(name);
  if (input.course) row += course_cell(input, one);
  if (all.summary.labs.size() > 1) row += total_cell(all, one);
  for (const std::string& lab : all.summary.labs) {
    row += result_cells(one.find(lab));
    if (asking.contains(lab)) row += answers_cell(one.find(lab));
  }
  return row + "</tr>\n";
}

std::string names_html(const std::vector<const GradedSubmission*>& submissions) {
  std::string html;
  for (const GradedSubmission* one : submissions) html += (html.empty() ? "" : ", ") + submission_link(*one);
  if (submissions.size() <= kMaxNames) return html;
  return fmt::format("<details><summary>{} submissions</summary>{}</details>", submissions.size(), html);
}

/// "results 37.5 / 100, wrong answer"; "–" if the grading has no such result.
std::string side_html(const std::optional<ClassRow>& row) {
  if (!row) return "–";
  if (row->status == ResultStatus::grader_fault) return "no grade";
  return points_html(row->score, row->max_score) + " " + verdict_html(row->verdict) + " " +
         code_html(row->code);
}

double difference(const Change& change) {
  return (change.now ? change.now->score : 0) - (change.before ? change.before->score : 0);
}

/// A link to the line where the fragment starts, if the submission has a page.
std::string fragment_link(const ClassResults& all, const std::string& id, const std::string& lab, int line) {
  for (const GradedSubmission& one : all.submissions)
    if (one.id == id)
      return link_html(page_address(one) + "#" + line_anchor(lab, line), fmt::format("line {}", line));
  return fmt::format("line {}", line);
}

std::string longest_html(const ClassResults& all, const SimilarPair& pair) {
  if (!pair.longest) return "–";
  return fmt::format("{} lines: {} and {}", pair.longest->lines,
                     fragment_link(all, pair.first, pair.lab, pair.longest->first_line),
                     fragment_link(all, pair.second, pair.lab, pair.longest->second_line));
}

}  // namespace

std::string submissions_section(const ReportInput& input) {
  const ClassResults& all = input.all;
  std::set<std::string> asking;
  std::vector<Column> columns = {{"submission"}};
  if (input.course) columns.push_back({"course", true});
  if (all.summary.labs.size() > 1) columns.push_back({"all labs", true});
  for (const std::string& lab : all.summary.labs) {
    columns.push_back({lab, true});
    columns.push_back({"verdict, first finding"});
    if (!has_answers(all, lab)) continue;
    asking.insert(lab);
    columns.push_back({"right answers", true});
  }
  std::string rows;
  for (const GradedSubmission& one : all.submissions) rows += submission_row(input, one, asking);
  return table("All submissions", columns, rows, "class=\"sortable filterable\"");
}

std::string diagnostics_section(const ClassResults& all) {
  std::string rows;
  for (const CommonDiagnostic& one : common_diagnostics(all))
    rows += "<tr>" + row_heading(code_html(one.code)) + cell(text(one.lab)) +
            number_cell(static_cast<double>(one.submissions.size()), count_text(one.submissions.size())) +
            cell((one.severity == Severity::error ? "" : "<span class=\"warning\">! warning</span> ") +
                 text(one.what, 300)) +
            cell(names_html(one.submissions)) + "</tr>\n";
  if (rows.empty()) return {};
  return "<p><code>warpgrade explain CODE</code> prints what a code means.</p>\n" +
         table("Diagnostics by number of submissions",
               {{"code"}, {"lab"}, {"submissions", true}, {"most frequent message"}, {"who"}}, rows,
               "class=\"sortable\"");
}

std::string similarity_section(const ReportInput& input) {
  if (!input.similar) return {};
  if (input.similar->empty()) return "<p>No two submissions have fingerprints in common.</p>\n";
  std::string rows;
  for (const SimilarPair& pair : *input.similar) {
    // Rounded down, so that 100 % means identical.
    const std::string share = fmt::format("{} %", std::floor(100 * pair.similarity + 1e-9));
    rows += fmt::format(
        "<tr>{}{}{}{}{}</tr>\n", row_heading(submission_link(input.all, pair.first)),
        cell(submission_link(input.all, pair.second)), cell(text(pair.lab)),
        number_cell(pair.similarity, pair.is_marked ? "<span class=\"bad\">! " + share + "</span>" : share),
        cell(longest_html(input.all, pair)));
  }
  return "<p>The share of the smaller submission's fingerprints that the other submission also has. A high "
         "value is a "
         "reason to read both submissions, but it proves nothing. “!” marks pairs from the threshold "
         "on.</p>\n" +
         table("Similar pairs", {{"first"}, {"second"}, {"lab"}, {"similarity", true}, {"longest match"}},
               rows, "class=\"sortable\"");
}

std::string changes_section(const ReportInput& input) {
  if (!input.changes) return {};
  std::string rows;
  for (const Change& change : input.changes->changes)
    rows += "<tr>" + row_heading(submission_link(input.all, change.submission)) + cell(text(change.lab)) +
            cell(side_html(change.before)) + cell(side_html(change.now)) +
            number_cell(difference(change), fmt::format("{}{}", difference(change) > 0 ? "+" : "",
                                                        points_text(difference(change)))) +
            cell(text(fmt::format("{}", fmt::join(change.reasons, ", ")))) + "</tr>\n";
  std::string summary = fmt::format("<p>{} results changed, {} did not.</p>\n", input.changes->changes.size(),
                                    input.changes->same);
  if (rows.empty()) return summary;
  return summary + table("Changed results",
                         {{"submission"}, {"lab"}, {"before"}, {"now"}, {"points", true}, {"because of"}},
                         rows, "class=\"sortable\"");
}

}  // namespace grader::pages
