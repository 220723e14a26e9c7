// A class on one page: the table that `warpgrade grade` prints, and gradebook.csv.
// Goldens: tests/report/golden/class-*.txt, gradebook.csv.
#pragma once

#include <string>

#include "report/result_json.hpp"
#include "report/terminal.hpp"

namespace grader {

/// A row a submission and lab; columns adapt to the terminal; then totals.
std::string class_text(const ClassSummary& summary, const Terminal& terminal);

/// One row a submission: its points in all, then score, verdict and first diagnostic of each lab. RFC 4180.
/// Cells that a spreadsheet would take for a formula get an apostrophe in front.
std::string gradebook_csv(const ClassSummary& summary);

}  // namespace grader
