// Classes of characters, independent of the locale.
#pragma once

namespace grader {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace grader
