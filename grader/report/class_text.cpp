#include "report/class_text.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "report/csv.hpp"
#include "report/numbers.hpp"

namespace grader {
namespace {

Ink ink_of(const ClassRow& row) {
  if (row.status == ResultStatus::grader_fault) return Ink::warning;
  return row.verdict == Verdict::accepted ? Ink::good : Ink::bad;
}

std::string score_cell(const ClassRow& row) {
  if (row.status == ResultStatus::grader_fault) return "-";
  return points_text(row.score) + "/" + points_text(row.max_score);
}

std::string remark(const ClassRow& row) { return row.code.empty() ? "" : row.code + " " + row.what; }

std::string totals(const ClassSummary& summary) {
  std::size_t full = 0, faults = 0, rejected = 0, unboxed = 0;
  for (const ClassRow& row : summary.rows) {
    full += row.status == ResultStatus::graded && row.score >= row.max_score ? 1U : 0U;
    faults += row.status == ResultStatus::grader_fault ? 1U : 0U;
    unboxed += row.sandboxed ? 0U : 1U;
    rejected += row.status == ResultStatus::rejected ? 1U : 0U;
  }
  std::string text =
      fmt::format("{} of {} results: {} with full marks", summary.rows.size(), summary.expected_rows, full);
  if (rejected > 0) text += fmt::format(", {} rejected", rejected);
  if (unboxed > 0) text += fmt::format(", {} graded WITHOUT A SANDBOX", unboxed);
  if (faults > 0) text += fmt::format(", {} without a grade (fault of the grader or the machine)", faults);
  return text;
}

}  // namespace

std::string class_text(const ClassSummary& summary, const Terminal& terminal) {
  constexpr std::size_t kGap = 2;
  const std::size_t longest_id = terminal.width / 3;
  const bool several_labs = summary.labs.size() > 1;
  std::size_t id = 10, lab = 0, score = 5, verdict = 7;
  for (const ClassRow& row : summary.rows) {
    id = std::max(id, std::min(longest_id, columns(printable(row.submission, terminal.unicode))));
    lab = several_labs ? std::max(lab, columns(row.lab)) : 0;
    score = std::max(score, columns(score_cell(row)));
    verdict = std::max(verdict, to_string(row.verdict).size());
  }
  const auto line = [&](const std::string& name, const std::string& of_lab, const std::string& points,
                        std::string_view result, Ink ink, const std::string& why) {
    std::string text = left(printable(name, terminal.unicode), id, terminal) + "  ";
    if (several_labs) text += left(of_lab, lab, terminal) + "  ";
    text += right(points, score, terminal) + "  " + paint(terminal, ink, left(result, verdict, terminal));
    const std::size_t used = id + kGap + (several_labs ? lab + kGap : 0) + score + kGap + verdict + kGap;
    if (!why.empty() && used + 6 <= terminal.width)
      text += "  " + cut(printable(why, terminal.unicode), terminal.width - used, terminal);
    while (text.ends_with(' ')) text.pop_back();
    return text + "\n";
  };
  std::string text = line("submission", "lab", "score", "verdict", Ink::strong, "diagnostic");
  for (const ClassRow& row : summary.rows)
    text += line(row.submission, row.lab, score_cell(row), to_string(row.verdict), ink_of(row), remark(row));
  text += "\n";
  for (const std::string& part : wrap(totals(summary), terminal.width)) text += part + "\n";
  return text;
}

std::string gradebook_csv(const ClassSummary& summary) {
  std::string csv = "submission,score,max_score";
  for (const std::string& lab : summary.labs)
    csv += fmt::format(",{0} score,{0} verdict,{0} diagnostic", lab);
  csv += "\r\n";

  // The folder distinguishes ids that differ only in invalid UTF-8, because these bytes are replaced in the
  // id.
  std::map<std::pair<std::string, std::string>, std::map<std::string, const ClassRow*>> by_submission;
  for (const ClassRow& row : summary.rows)
    by_submission[{row.submission, row.file.substr(0, row.file.rfind('/'))}][row.lab] = &row;
  for (const auto& [id, labs] : by_submission) {
    const std::string& submission = id.first;
    double score = 0, max_score = 0;
    bool complete = true;  // a total without the ungraded labs would be unfair to the student
    std::string cells;
    for (const std::string& lab : summary.labs) {
      const auto found = labs.find(lab);
      if (found == labs.end()) {
        cells += ",,,";
        continue;
      }
      const ClassRow& row = *found->second;
      score += row.score;
      max_score += row.max_score;
      const bool no_grade = row.status == ResultStatus::grader_fault;
      complete = complete && !no_grade;
      cells += fmt::format(",{},{},{}", no_grade ? "" : points_text(row.score), to_string(row.verdict),
                           csv_cell(remark(row)));
    }
    csv += csv_cell(submission) + "," + (complete ? points_text(score) : "") + "," + points_text(max_score) +
           cells + "\r\n";
  }
  return csv;
}

}  // namespace grader
