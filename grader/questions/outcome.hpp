// How a student's answers to a lab's questions were graded. Pure data, part of a Result.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace grader {

enum class AnswerStatus : std::uint8_t {
  right,
  wrong,
  invalid,  ///< not of the question's kind: a letter for a number, or a letter that no choice has
  missing,  ///< not answered
  open,     ///< answered, but the student's own run lacks the value that the truth depends on
};
inline constexpr std::array kAnswerStatuses = {AnswerStatus::right, AnswerStatus::wrong,
                                               AnswerStatus::invalid, AnswerStatus::missing,
                                               AnswerStatus::open};
std::string_view to_string(AnswerStatus status);

struct GradedAnswer {
  std::string id;
  AnswerStatus status = AnswerStatus::missing;
  double points = 0, max_points = 0;

  friend bool operator==(const GradedAnswer&, const GradedAnswer&) = default;
};

/// How many of a lab's questions were answered right.
struct QuestionsTally {
  std::size_t right = 0, count = 0;
};

struct QuestionsOutcome {
  std::string name;            ///< the quantities were drawn for this name; empty: see `problem`
  std::string problem;         ///< why answers were not graded; one sentence that can quote untrusted text
  std::string answers_sha256;  ///< of answers.json; empty: there is none, or it could not be read
  std::vector<GradedAnswer> answers;  ///< in the order of lab.json

  double points() const { return sum(&GradedAnswer::points); }
  double max_points() const { return sum(&GradedAnswer::max_points); }
  std::size_t count(AnswerStatus status) const {
    return static_cast<std::size_t>(std::count_if(
        answers.begin(), answers.end(), [=](const GradedAnswer& one) { return one.status == status; }));
  }

  QuestionsTally tally() const { return {count(AnswerStatus::right), answers.size()}; }
  /// No answer was graded: `problem` says why.
  bool is_refused() const { return name.empty(); }

  friend bool operator==(const QuestionsOutcome&, const QuestionsOutcome&) = default;

 private:
  double sum(double GradedAnswer::*part) const {
    return std::accumulate(answers.begin(), answers.end(), 0.0,
                           [part](double total, const GradedAnswer& one) { return total + one.*part; });
  }
};

}  // namespace grader
