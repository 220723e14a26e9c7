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

/// The same code, as long as before, with `&&`, `||` and `!` in place of the words `and`, `or` and `not`.
std::string with_operators(std::string_view code);

/// The code after the first occurrence of the word; nullopt: it does not occur.
std::optional<std::string_view> after_word(std::string_view code, std::string_view word);

bool contains_word(std::string_view code, std::string_view word);

/// "Nds" of "sum += Nds"; empty: the text does not end with a name.
std::string last_word(std::string_view text);
/// The name that ends the expression or the declaration, without subscripts and default values: "d_in" of
/// "(float*)slot.d_in", "in" of "const float* in". Empty: it ends in another way.
std::string last_name(std::string_view text);

/// The code changes an element of the array by a value from elsewhere: ++count, or bins[level] += 1, but not
/// tile[t] += tile[t + stride], which reads another element of the array.
bool changes_element(std::string_view code, std::string_view array);

/// A function for the device begins in this line.
bool starts_device_function(std::string_view code);

}  // namespace grader
