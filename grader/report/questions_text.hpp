// A lab's questions and the grades of a student's answers, as text. Covered by
// report/questions_text_test.cpp.
#pragma once

#include <cstddef>
#include <string>

#include "lab/lab.hpp"
#include "questions/outcome.hpp"
#include "report/terminal.hpp"

namespace grader {

struct QuestionsPage {
  std::string name;       ///< the quantities are drawn for this name
  std::size_t hints = 0;  ///< hints to show per question
};

/// "6 of 8 right, 1 open", and what is wrong with the file, if anything. Can quote untrusted text.
std::string tally_text(const QuestionsOutcome& outcome);

/// All questions in full, those to be answered before coding first; with their grades if there is an outcome.
std::string questions_text(const Lab& lab, const QuestionsPage& page, const QuestionsOutcome* outcome,
                           const Terminal& terminal);

/// One line: how many answers are right, wrong and missing, with the ids of those to correct.
std::string answers_text(const Lab& lab, const QuestionsOutcome& outcome, const Terminal& terminal);

}  // namespace grader
