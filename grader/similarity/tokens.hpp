// CUDA C++ as a sequence of tokens that does not depend on the usual changes to hide a copy: names, literals,
// comments, blanks, line breaks, qualifiers. Accepts any bytes, in linear time. Covered by
// similarity/tokens_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace grader::similarity {

struct Token {
  std::uint32_t kind = 0;  ///< equal for tokens that count as equal
  std::uint32_t line = 0;  ///< from 1
};

/// All names become one kind, except those that a student cannot change: keywords and names of CUDA (cuda…,
/// __…, threadIdx, …). Numbers, strings and characters become one kind each. Comments, #include lines and
/// qualifiers that can be added anywhere (const, static, inline, …) are left out.
std::vector<Token> tokens_of(std::string_view source);

}  // namespace grader::similarity
