// Canvas' gradebook CSV, as its importer reads it (canvas-lms, lib/gradebook_importer.rb).
//
// Columns about the student are found by position, and the last of them must be "Section". A column is an
// assignment's when its title ends in the assignment's number in brackets, or equals its title; any other
// title makes a new assignment. Students are found by ID, then SIS User ID, then SIS Login ID, then by name,
// which is a guess: a row needs one of the first three. Scores are compared with two decimals. An empty cell
// means no score.
#include <set>

#include <fmt/format.h>

#include "export/formats.hpp"
#include "report/csv.hpp"

namespace grader {
namespace {

std::string decimals(double points) { return fmt::format("{:.2f}", points); }

/// What a lab can give; labs that nobody has a grade for give nothing.
double max_points(const ClassResults& all, const std::string& lab) {
  double most = 0;
  for (const GradedSubmission& one : all.submissions)
    if (const Result* result = one.find(lab)) most = std::max(most, result->score.max_score);
  return most;
}

/// What another system numbered means somebody else in Canvas.
Identity known_to_canvas(const GradedSubmission& one) {
  Identity identity = one.identity;
  if (!one.lms.empty() && one.lms != "canvas") identity.lms_id.clear();
  return identity;
}

/// Why the row cannot be written; empty when it can.
std::string problem_with(const Identity& identity) {
  if (identity.lms_id.empty() && identity.sis_id.empty() && identity.login.empty())
    return "Canvas' ID, SIS User ID or SIS Login ID is not known: name a roster that has it";
  for (const std::string& key : {identity.lms_id, identity.sis_id, identity.login})
    if (starts_formula(key)) return "its identifier could be run as a formula by a spreadsheet";
  return {};
}

std::optional<std::string> repeated_title(const ClassResults& all, const ExportOptions& options) {
  std::set<std::string> titles;
  for (const std::string& lab : all.summary.labs)
    if (!titles.insert(options.name_of(lab)).second) return options.name_of(lab);
  return std::nullopt;
}

}  // namespace

Expected<Exported, Diagnostic> export_canvas(const ClassResults& all, const ExportOptions& options) {
  if (const auto title = repeated_title(all, options))
    return Unexpected{
        not_expressible("two labs are called `" + *title + "`", "give each --name another title")};
  std::vector<std::string> header = {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
  std::vector<std::string> possible = {"    Points Possible", "", "", "", ""};
  for (const std::string& lab : all.summary.labs) {
    header.push_back(csv_cell(options.name_of(lab)));
    possible.push_back(decimals(max_points(all, lab)));
  }
  Exported exported;
  std::string csv = csv_row(header) + csv_row(possible);
  for (const GradedSubmission& one : all.submissions) {
    const Identity who = known_to_canvas(one);
    if (const std::string problem = problem_with(who); !problem.empty()) {
      exported.left_out.push_back({one.id, problem});
      continue;
    }
    std::vector<std::string> row = {csv_cell(who.name.empty() ? one.id : who.name), csv_cell(who.lms_id),
                                    csv_cell(who.sis_id), csv_cell(who.login), csv_cell(who.section)};
    std::size_t grades = 0;
    for (const std::string& lab : all.summary.labs) {
      const Result* result = one.find(lab);
      const bool has_grade = result != nullptr && result->score.status != ResultStatus::grader_fault;
      row.push_back(has_grade ? decimals(result->score.score) : "");
      grades += has_grade ? 1U : 0U;
    }
    if (grades > 0) csv += csv_row(row);  // a row of empty cells would take away what is there
    if (grades < all.summary.labs.size())
      exported.left_out.push_back({one.id, grades == 0 ? "it has no grade" : "one of its labs has no grade"});
  }
  exported.files = {{"", std::move(csv)}};
  return exported;
}

}  // namespace grader
