// Where functions begin and end in the student's file. A search in text, as in source_hints.hpp. Covered by
// tests/judge/source_hints_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "judge/judge.hpp"

namespace grader {

/// Indices of lines, without `end`.
struct LineRange {
  std::size_t begin = 0, end = 0;
};

/// After the last line of the function or variable that begins at `head`: the line with the brace that closes
/// its body, or, if the braces do not match (they can be in branches for the preprocessor), before the next
/// line that begins with a brace.
std::size_t end_of_function(const SourceText& source, std::size_t head);

/// From the last line at the margin with the function's head to the end of its body. Empty: not found.
LineRange body_of(const SourceText& source, std::string_view function);
/// The line that begins the function's definition, counted from 1.
std::optional<std::uint32_t> definition_of(const SourceText& source, std::string_view function);

/// `file` is the path that the compiler recorded, `line` counts from 1. Empty if the line is not in a device
/// function of `source`.
LineRange device_function_with(const SourceText& source, std::string_view file, std::uint32_t line);

}  // namespace grader
