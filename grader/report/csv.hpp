// CSV for spreadsheets and gradebooks (RFC 4180). Untrusted text is written so that no spreadsheet
// evaluates it; the reader accepts the usual variants. Tested by report/csv_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"

namespace grader {

/// One printable cell, quoted if necessary. Spreadsheets evaluate a cell with a leading = + - @ (also in
/// full-width form), tab or line end as a formula (CWE-1236), so such a cell gets a leading apostrophe.
std::string csv_cell(std::string_view text);

/// Whether csv_cell() would add an apostrophe. Such text cannot be written if it must arrive unchanged.
bool starts_formula(std::string_view text);

/// A line of cells without changes, ended by CR LF.
std::string csv_row(const std::vector<std::string>& cells);

struct CsvRow {
  std::size_t line = 0;  ///< where it starts in the file, from 1
  std::vector<std::string> cells;
};

/// All rows except empty ones. Accepts LF or CR LF and a byte order mark. The separator is the one of , ; and
/// tab that is most frequent in the first row. The error names the problem and the line.
Expected<std::vector<CsvRow>, std::string> read_csv(std::string_view text);

}  // namespace grader
