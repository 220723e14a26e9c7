// What the answers to a lab's questions are worth in a course. Pure. Covered by
// course_grades/question_points_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "questions/outcome.hpp"

namespace grader::course {

struct JudgedAnswers {
  double points = 0;   ///< rounded to two decimals
  std::string reason;  ///< for the student: "7.5 of 10 points for the questions: 6 of 8 right"
  std::string note;    ///< what the instructor can do about answers that were not graded; empty: nothing
};

/// Scales the outcome's points, so that right answers to all questions give `max_points`. nullopt: no answers
/// were handed in.
JudgedAnswers judge_answers(const std::optional<QuestionsOutcome>& outcome, double max_points);

}  // namespace grader::course
