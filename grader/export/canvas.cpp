// Canvas' gradebook CSV, as Canvas' importer reads it (canvas-lms, lib/gradebook_importer.rb). Canvas finds
// the columns about the student by position; the last of them must be "Section". A column belongs to an
// assignment if its title equals the assignment's title or ends with the assignment's number in brackets; any
// other title creates a new assignment. Students are found by ID, then SIS User ID, then SIS Login ID, then
// by name. The name is not reliable, so a row needs one of the first three. Scores are compared with two
// decimals. An empty cell means no score.
#include <set>

#include <fmt/format.h>

#include "export/formats.hpp"
#include "report/csv.hpp"

namespace grader {
namespace {

std::string decimals(double points) { return fmt::format("{:.2f}", points); }

/// The points of a lab; nullopt if no submission has a grade for it.
double max_points(const ClassResults& all, const std::string& lab) {
  double most = 0;
  for (const GradedSubmission& one : all.submissions)
    if (const Result* result = one.find(lab)) most = std::max(most, result->score.max_score);
  return most;
}

/// The identity without lms_id if that number is from another system: in Canvas it identifies another person.
Identity known_to_canvas(const GradedSubmission& one) {
  Identity identity = one.identity;
  if (!one.lms.empty() && one.lms != "canvas") identity.lms_id.clear();
  return identity;
}

/// Why the row cannot be written; empty if it can.
std::string problem_with(const Identity& identity) {
  if (identity.lms_id.empty() && identity.sis_id.empty() && identity.login.empty())
    return unidentified("Canvas identifier (ID, SIS User ID or SIS Login ID)");
  for (const std::string& key : {identity.lms_id, identity.sis_id, identity.login})
    if (starts_formula(key)) return "a spreadsheet could run its identifier as a formula";
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
    return Unexpected{not_expressible("two labs have the name `" + *title + "`",
                                      "give each lab a different name with --name")};
  std::vector<std::string> header = {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
  std::vector<std::string> possible = {"    Points Possible", "", "", "", ""};
  for (const std::string& lab : all.summary.labs) {
    header.push_back(csv_cell(options.name_of(lab)));
    possible.push_back(decimals(max_points(all, lab)));
  }
  Exported exported;
  std::string csv = csv_row(header) + csv_row(possible);
  bool has_rows = false;
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
    if (grades > 0) {  // a row of empty cells would delete existing scores
      csv += csv_row(row);
      has_rows = true;
    }
    if (all.lacks_grade(one))
      exported.left_out.push_back({one.id, grades == 0 ? "it has no grade" : "one of its labs has no grade"});
  }
  if (has_rows) exported.files = {{"", std::move(csv)}};
  return exported;
}

}  // namespace grader
