// CUDA C++ as a sequence of tokens that survives what people change to hide a copy: names, literals,
// comments, blanks, line breaks, qualifiers. Any bytes are taken, in linear time. Covered by
// similarity/tokens_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace grader::similarity {

struct Token {
  std::uint32_t kind = 0;  ///< equal for tokens that count as the same
  std::uint32_t line = 0;  ///< from 1
};

/// Names become one kind, but for those that nobody can change: keywords, and what CUDA provides (cuda…, __…,
/// threadIdx, …). Numbers, strings and characters become one kind each. Left out: comments, #include lines,
/// and qualifiers, which may be added anywhere (const, static, inline, …).
std::vector<Token> tokens_of(std::string_view source);

}  // namespace grader::similarity
