// A question of a lab, as lab.json asks it. Its text names quantities in braces ("{tile}"): the formula draws
// them for each student, or the student's own run has them. Pure data.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace grader {

enum class QuestionKind { number, choice };

/// A counter of the student's own run.
struct OwnCounter {
  std::string case_name, counter;
};

struct Question {
  std::string id;
  std::string text;
  QuestionKind kind = QuestionKind::number;
  std::string unit;                  ///< of a number; can be empty
  double tolerance = 0;              ///< of a number, relative to the truth
  std::vector<std::string> choices;  ///< answered by letter: a, b, c, …
  std::string formula;               ///< formulas/formula.hpp
  std::map<std::string, OwnCounter> own;
  bool is_before_coding = false;   ///< an estimate or a prediction
  double points = 1;               ///< not part of the lab's score
  std::vector<std::string> hints;  ///< mild to strong
};

}  // namespace grader
