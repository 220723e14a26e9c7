#include "report/class_text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "report/csv.hpp"
#include "report/numbers.hpp"
#include "score/check_words.hpp"

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

/// "6 of 8", because a spreadsheet would take "6/8" for a date; empty without answers.
std::string right_answers(const ClassRow& row) {
  return row.questions ? fmt::format("{} of {}", row.questions->right, row.questions->count) : "";
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

/// The table of a class. On a narrow terminal, names are shortened to make room for the diagnostics.
class Table {
 public:
  Table(const ClassSummary& summary, const Terminal& terminal) : terminal_(terminal) {
    for (const ClassRow& row : summary.rows) {
      id_ = std::max(id_, std::min(terminal.width / 3, columns(printable(row.submission, terminal.unicode))));
      lab_ = summary.labs.size() > 1 ? std::max(lab_, columns(row.lab)) : 0;
      score_ = std::max(score_, columns(score_cell(row)));
      if (row.questions) questions_ = columns(kQuestions);
      verdict_ = std::max(verdict_, verdict_words(row.verdict).size());
    }
    narrow(id_);
    narrow(lab_);
    // The verdict matters more, and gradebook.csv has the answers.
    if (terminal.interactive && used() + kCode > terminal.width) questions_ = 0;
  }

  std::string heading() const {
    return line({"submission", "lab", "score", std::string(kQuestions), "verdict", "diagnostic"},
                Ink::strong);
  }
  std::string line(const ClassRow& row) const {
    return line({row.submission, row.lab, score_cell(row), right_answers(row), verdict_words(row.verdict),
                 remark(row)},
                ink_of(row));
  }

 private:
  struct Cells {
    std::string name, lab, points, questions, verdict, why;
  };
  std::string line(const Cells& cells, Ink ink) const {
    std::string text = left(printable(cells.name, terminal_.unicode), id_, terminal_) + "  ";
    if (lab_ > 0) text += left(cells.lab, lab_, terminal_) + "  ";
    text += right(cells.points, score_, terminal_) + "  ";
    if (questions_ > 0) text += right(cells.questions, questions_, terminal_) + "  ";
    text += paint(terminal_, ink, left(cells.verdict, verdict_, terminal_));
    if (!cells.why.empty())
      text += "  " + cut_in_window(printable(cells.why, terminal_.unicode), room_for_diagnostic(), terminal_);
    while (text.ends_with(' ')) text.pop_back();
    return text + "\n";
  }

  static constexpr std::string_view kQuestions = "questions";
  static constexpr std::size_t kGap = 2;
  static constexpr std::size_t kShortest = 10;    ///< of a name
  static constexpr std::size_t kCode = 7;         ///< "WG-M02…"
  static constexpr std::size_t kDiagnostic = 16;  ///< a code and the first words

  std::size_t used() const {
    return id_ + kGap + (lab_ > 0 ? lab_ + kGap : 0) + score_ + kGap +
           (questions_ > 0 ? questions_ + kGap : 0) + verdict_ + kGap;
  }
  /// The code is shown in any case.
  std::size_t room_for_diagnostic() const {
    return std::max(kCode, terminal_.width - std::min(terminal_.width, used()));
  }
  void narrow(std::size_t& column) const {
    const std::size_t wanted = used() + kDiagnostic;
    if (terminal_.interactive && wanted > terminal_.width && column > kShortest)
      column -= std::min(column - kShortest, wanted - terminal_.width);
  }

  const Terminal& terminal_;
  std::size_t id_ = kShortest, lab_ = 0, score_ = 5, questions_ = 0, verdict_ = 7;
};

}  // namespace

std::string class_text(const ClassSummary& summary, const Terminal& terminal) {
  const Table table(summary, terminal);
  std::string text = table.heading();
  for (const ClassRow& row : summary.rows) text += table.line(row);
  text += "\n";
  for (const std::string& part : wrap(totals(summary), terminal.width)) text += part + "\n";
  return text;
}

std::string gradebook_csv(const ClassSummary& summary) {
  std::set<std::string> asking;  // labs with answers: only these have a column for them
  for (const ClassRow& row : summary.rows)
    if (row.questions) asking.insert(row.lab);
  std::string csv = "submission,score,max_score";
  for (const std::string& lab : summary.labs) {
    csv += fmt::format(",{0} score,{0} verdict,{0} diagnostic", lab);
    if (asking.contains(lab)) csv += fmt::format(",{} questions", lab);
  }
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
        cells += asking.contains(lab) ? ",,,," : ",,,";
        continue;
      }
      const ClassRow& row = *found->second;
      score += row.score;
      max_score += row.max_score;
      const bool no_grade = row.status == ResultStatus::grader_fault;
      complete = complete && !no_grade;
      cells += fmt::format(",{},{},{}", no_grade ? "" : points_text(row.score), verdict_words(row.verdict),
                           csv_cell(remark(row)));
      if (asking.contains(lab)) cells += "," + right_answers(row);
    }
    csv += csv_cell(submission) + "," + (complete ? points_text(score) : "") + "," + points_text(max_score) +
           cells + "\r\n";
  }
  return csv;
}

}  // namespace grader
