// Asks a lab's questions with the quantities of one student, and grades the answers. The quantities depend on
// the student's name, the lab and the question alone, so that students have different answers and everyone
// can grade again. Pure. Covered by tests/questions/grade_answers_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "questions/answers.hpp"
#include "questions/outcome.hpp"

namespace grader {

/// By case and counter, as in Score.
using CounterValues = std::map<std::string, std::map<std::string, double>>;

/// The question's text with the quantities of the student.
std::string asked_text(const Lab& lab, const Question& question, const std::string& name);

/// A number, or the index of the right choice. nullopt: `counters` lack what it depends on.
std::optional<double> truth_of(const Lab& lab, const Question& question, const std::string& name,
                               const CounterValues& counters);

/// A name identifies the same student in capital and small letters.
bool is_same_name(const std::string& one, const std::string& other);

/// Grades the text of an answers.json. `names`: the names that it may be for; empty: any. Answers for another
/// lab or name earn nothing.
QuestionsOutcome grade_answers(const Lab& lab, const std::string& text, const std::vector<std::string>& names,
                               const CounterValues& counters);

/// Nothing is answered. `problem` can be empty.
QuestionsOutcome nothing_answered(const Lab& lab, const std::string& problem);

}  // namespace grader
