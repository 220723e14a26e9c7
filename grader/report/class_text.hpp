// A class on one page: the table that `warpgrade grade` prints, and gradebook.csv.
// Goldens: tests/report/golden/class-*.txt, gradebook.csv.
#pragma once

#include <string>

#include "report/result_json.hpp"
#include "report/terminal.hpp"

namespace grader {

/// One row per submission and lab, then totals. Columns adapt to the terminal. Right answers to questions
/// have a column if any submission has answers.
std::string class_text(const ClassSummary& summary, const Terminal& terminal);

/// One row per submission: its total points, then score, verdict and first diagnostic per lab, and the right
/// answers of a lab to which anybody handed in answers. RFC 4180.
/// Cells that a spreadsheet would interpret as a formula get a leading apostrophe.
std::string gradebook_csv(const ClassSummary& summary);

}  // namespace grader
