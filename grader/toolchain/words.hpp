// Characters of C++ identifiers.
#pragma once

#include <cctype>

namespace grader {

inline bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace grader
