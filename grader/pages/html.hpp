// HTML from trusted structure and untrusted text. Functions that take text escape it; functions that take
// `html` do not. Pure. Covered by pages/html_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/verdict.hpp"
#include "score/score.hpp"

namespace grader::pages {

/// What a page contains in addition to its text. A page without charts has less to load.
enum class Scripts { none, tables_and_charts };

/// A whole page without references to other files. Its content security policy permits only the page's own
/// style and scripts, which it names by their digests, and pictures inside the page.
std::string document(std::string_view title, std::string_view main_html, Scripts scripts);

/// Text that cannot be markup, in an element or an attribute, of at most `max_bytes`.
std::string text(std::string_view untrusted, std::size_t max_bytes = 4000);

/// An id for links within a page, from trusted or untrusted text: letters, digits, '-' and '_'.
std::string anchor(std::string_view untrusted);

/// The address of a file in a folder: every other character than letters, digits, '.', '-' and '_' is
/// encoded.
std::string file_address(std::string_view name);

/// "<a href=…>text</a>". `address` must be made of anchor() and file_address().
std::string link_html(std::string_view address, std::string_view untrusted);

/// A section with a heading and an anchor, which the page's list of contents names.
std::string section(std::string_view id, std::string_view heading, std::string_view html);

/// A table that can be scrolled when it is wider than the window. `attributes` belong to the table.
struct Column {
  std::string_view heading;
  bool is_number = false;
};
std::string table(std::string_view caption, const std::vector<Column>& columns, std::string_view rows_html,
                  std::string_view attributes = {});

/// A part that the reader can open, without a script.
std::string closed(std::string_view heading, std::string_view html);

/// The most frequent cells. `value` is what the cell is sorted by.
std::string cell(std::string_view html);
std::string row_heading(std::string_view html);
std::string number_cell(double value, std::string_view html);
std::string empty_cell();  ///< no value

std::string code_html(std::string_view code);  ///< of a diagnostic, on one line

/// A mark and a word: meaning never depends on colour alone.
std::string status_html(const Check& check);
std::string verdict_html(Verdict verdict);
std::string points_html(double points, double max_points);

}  // namespace grader::pages
