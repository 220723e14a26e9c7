// Splits CUDA C++ into names, literals and punctuators. Accepts any bytes, in linear time. Covered by
// similarity/tokens_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace grader::similarity {

struct Lexeme {
  enum class Kind : std::uint8_t { name, number, string, character, punctuator };

  Kind kind = Kind::name;
  std::string_view text;   ///< points into the source
  std::uint32_t line = 0;  ///< from 1
};

/// Comments and #include lines are left out; other directives are split like other text.
std::vector<Lexeme> lexemes_of(std::string_view source);

}  // namespace grader::similarity
