#include "pages/question_analysis.hpp"

#include <algorithm>

#include "pages/item_analysis.hpp"

namespace grader::pages {
namespace {

/// The answers to one question, by submission.
struct Answers {
  QuestionItem item;
  std::vector<double> is_right;  ///< 0 or 1
  std::vector<double> rest;      ///< points of the submission's other answers
};

QuestionItem concluded(Answers& answers) {
  QuestionItem& item = answers.item;
  item.results = answers.is_right.size();
  item.share_right = static_cast<double>(item.count(AnswerStatus::right)) / static_cast<double>(item.results);
  item.discrimination = correlation(answers.is_right, answers.rest);
  return std::move(item);
}

}  // namespace

std::vector<QuestionItem> question_analysis(const std::vector<const QuestionsOutcome*>& outcomes) {
  std::vector<Answers> all;
  for (const QuestionsOutcome* outcome : outcomes)
    for (const GradedAnswer& one : outcome->answers) {
      auto found =
          std::find_if(all.begin(), all.end(), [&](const Answers& known) { return known.item.id == one.id; });
      if (found == all.end()) {
        found = all.emplace(all.end());
        found->item.id = one.id;
      }
      ++found->item.counts[one.status];
      found->item.points = std::max(found->item.points, one.max_points);
      found->is_right.push_back(one.status == AnswerStatus::right ? 1 : 0);
      found->rest.push_back(outcome->points() - one.points);
    }
  std::vector<QuestionItem> items;
  for (Answers& answers : all) items.push_back(concluded(answers));
  return items;
}

}  // namespace grader::pages
