// Whether a condition tests the row and the column that an index uses: compares the text of two lines, for
// advice only. Pure. Covered by tests/judge/tested_index_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace grader {

/// "in_row" and "in_row + r", of `if (in_row < height && col < width)` and `in[(in_row + r) * width + col]`.
struct UntestedIndex {
  std::string tested, used;
  bool is_row = true;  ///< false: the column
};

/// nullopt: the condition tests what the index uses, or the lines have another form. Without comments.
std::optional<UntestedIndex> untested_index(std::string_view condition, std::string_view access);

/// "x", of `if (y < height && x < width)` and `in[x * width + y]`: what is multiplied by the length of a row
/// is compared with it as a column.
std::optional<std::string> exchanged_index(std::string_view condition, std::string_view access);

}  // namespace grader
