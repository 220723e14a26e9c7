// Characters of ASCII, independent of the locale.
#pragma once

#include <string_view>

namespace grader {

inline constexpr std::string_view kBlanks = " \t\r";

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Without the characters `around` it at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view around = kBlanks) {
  const std::size_t first = text.find_first_not_of(around);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(around) - first + 1);
}

}  // namespace grader
