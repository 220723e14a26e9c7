// Grades the answers to questions that were handed in with an item, from the run's folder. Covered by
// schedule/grade_items_test.cpp.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "questions/grade_answers.hpp"
#include "schedule/manifest.hpp"

namespace grader {

/// As grade_answers(), for a lab by id. An empty text gives an outcome without answers.
using AnswerGrader =
    std::function<QuestionsOutcome(const std::string& lab, const std::string& text,
                                   const std::vector<std::string>& names, const CounterValues& counters)>;

/// Sets result.questions if the item has answers.
void grade_item_answers(const std::filesystem::path& dir, const WorkItem& item, const AnswerGrader& grade,
                        Result& result);

}  // namespace grader
