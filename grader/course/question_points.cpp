#include "course/question_points.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "course/grades.hpp"
#include "report/numbers.hpp"
#include "report/questions_text.hpp"

namespace grader::course {
namespace {

constexpr const char* kStaff = "the course staff can give points by hand";

/// From 0 to 1.
double share_of(const QuestionsOutcome& outcome) {
  const double most = outcome.max_points();
  return most > 0 ? std::clamp(outcome.points() / most, 0.0, 1.0) : 0;
}

std::string explanation(const QuestionsOutcome& outcome) {
  std::string text = tally_text(outcome);
  if (outcome.is_refused()) return fmt::format("{}; {}", text, kStaff);
  if (outcome.count(AnswerStatus::open) == 0) return text;
  return fmt::format("{}; an answer is open if the program's run lacks the value that it depends on; {}",
                     text, kStaff);
}

std::string note_on(const QuestionsOutcome& outcome) {
  if (outcome.is_refused())
    return "answers.json was not graded, for the reason in the student's grade; correct the file and grade "
           "with `--only changed`, or give points in `manual`";
  if (outcome.count(AnswerStatus::open) > 0)
    return "answers are open, because the program's run lacks the values that they depend on; give points in "
           "`manual` if they are right";
  return "";
}

}  // namespace

JudgedAnswers judge_answers(const std::optional<QuestionsOutcome>& outcome, double max_points) {
  JudgedAnswers judged;
  if (outcome) judged.points = to_cents(max_points * share_of(*outcome));
  judged.reason =
      fmt::format("{} of {} points for the questions: {}", points_text(judged.points),
                  points_text(max_points), outcome ? explanation(*outcome) : "no answers.json was handed in");
  if (outcome) judged.note = note_on(*outcome);
  return judged;
}

}  // namespace grader::course
