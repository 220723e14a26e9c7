// Item analysis of a lab's questions: how many answered each one right, and how well it separates strong from
// weak students. Pure. Covered by pages/questions_html_test.cpp.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "questions/outcome.hpp"

namespace grader::pages {

struct QuestionItem {
  std::string id;
  double points = 0;        ///< available points
  std::size_t results = 0;  ///< submissions whose answers were graded
  std::map<AnswerStatus, std::size_t> counts;
  double share_right = 0;  ///< of the results, 0 to 1
  /// Pearson's correlation of a right answer with the points of all other questions; see Item.
  std::optional<double> discrimination;

  std::size_t count(AnswerStatus status) const {
    const auto found = counts.find(status);
    return found == counts.end() ? 0 : found->second;
  }
};

/// The questions of one lab, in the order of the outcomes. Outcomes that were refused must not be among them.
std::vector<QuestionItem> question_analysis(const std::vector<const QuestionsOutcome*>& outcomes);

}  // namespace grader::pages
