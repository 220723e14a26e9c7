#include "questions/check_questions.hpp"

#include <set>

#include <fmt/format.h>

#include "questions/grade_answers.hpp"

namespace grader {
namespace {

constexpr int kStudents = 64;

CounterValues solution_counters(const Lab& lab) {
  CounterValues values;
  for (const Task& task : lab.tasks)
    for (const Objective& one : task.objectives) {
      values[one.case_name][one.counter] = one.solution;
      for (const ShownCounter& shown : one.related) values[one.case_name][shown.counter] = shown.solution;
    }
  return values;
}

/// Empty: none.
std::string problem_of(const Lab& lab, const Question& question, const CounterValues& solution) {
  std::set<double> truths;
  for (int i = 0; i < kStudents; ++i) {
    const std::string name = fmt::format("student{}", i);
    const auto truth = truth_of(lab, question, name, solution);
    if (!truth) return fmt::format("question {} has no truth for {}", question.id, name);
    if (question.kind == QuestionKind::choice && *truth >= static_cast<double>(question.choices.size()))
      return fmt::format("question {} lacks the right choice for {}", question.id, name);
    truths.insert(*truth);
  }
  const bool can_be_equal = !question.own.empty();
  return truths.size() > 1 || can_be_equal
             ? ""
             : fmt::format("question {} has the same answer for every student", question.id);
}

}  // namespace

std::vector<std::string> question_problems(const Lab& lab) {
  const CounterValues solution = solution_counters(lab);
  std::vector<std::string> problems;
  for (const Question& one : lab.questions)
    if (std::string problem = problem_of(lab, one, solution); !problem.empty())
      problems.push_back(std::move(problem));
  return problems;
}

}  // namespace grader
