// answers.json (schema/answers.schema.json): a student's answers to a lab's questions. The text is untrusted.
// Covered by tests/questions/answers_test.cpp.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <variant>

#include "base/expected.hpp"
#include "lab/lab.hpp"

namespace grader {

inline constexpr const char* kAnswersFile = "answers.json";
inline constexpr std::size_t kMaxAnswersBytes = std::size_t{64} << 10U;

/// Nothing (null), a number, or the letter of a choice.
using Answer = std::variant<std::monostate, double, std::string>;

struct Answers {
  std::string lab;
  std::string name;  ///< the questions' quantities are drawn for this name
  std::map<std::string, Answer> given;
};

/// The error is one sentence, which can quote the text.
Expected<Answers, std::string> parse_answers(const std::string& text);

/// A file with null for every question.
std::string blank_answers(const Lab& lab, const std::string& name);

}  // namespace grader
