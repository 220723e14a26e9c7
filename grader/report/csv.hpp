// CSV as spreadsheets and gradebooks exchange it (RFC 4180). Untrusted text is written so that no spreadsheet
// runs it; what people wrote is read with the usual liberties. Covered by report/csv_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"

namespace grader {

/// One printable cell, quoted where needed. A leading = + - @ (also the full-width forms), tab or line end
/// makes spreadsheets run the cell as a formula (CWE-1236): such a cell gets an apostrophe in front.
std::string csv_cell(std::string_view text);

/// Whether csv_cell() would put an apostrophe in front: text that must arrive unchanged cannot be written
/// then.
bool starts_formula(std::string_view text);

/// A line of cells as they are, ended by CR LF.
std::string csv_row(const std::vector<std::string>& cells);

struct CsvRow {
  std::size_t line = 0;  ///< where it starts in the file, from 1
  std::vector<std::string> cells;
};

/// All rows but empty ones. Takes LF or CR LF, a byte order mark, and the one of , ; and tab that the first
/// row has most of. The error says what is wrong and in which line.
Expected<std::vector<CsvRow>, std::string> read_csv(std::string_view text);

}  // namespace grader
