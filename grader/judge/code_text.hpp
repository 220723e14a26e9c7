// Words in lines of source code. A search in text, not an analysis: comments of several lines and strings are
// not recognised. Covered by tests/judge/source_hints_test.cpp and tests/judge/visible_mistakes_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace grader {

bool is_word_character(char c);

/// The line without its comment.
std::string_view code_of(const std::string& line);

/// The code after the first occurrence of the word; nullopt: it does not occur.
std::optional<std::string_view> after_word(std::string_view code, std::string_view word);

bool contains_word(std::string_view code, std::string_view word);

/// A function for the device begins in this line.
bool starts_device_function(std::string_view code);

}  // namespace grader
