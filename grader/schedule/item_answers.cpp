#include "schedule/item_answers.hpp"

#include "base/files.hpp"
#include "base/sha256.hpp"

namespace grader {

void grade_item_answers(const std::filesystem::path& dir, const WorkItem& item, const AnswerGrader& grade,
                        Result& result) {
  if (!item.answers || !grade) return;
  std::string text, problem = item.answers->refused;
  if (problem.empty()) {
    const auto bytes = read_file(dir / answers_path(item), kMaxAnswersBytes);
    if (bytes && sha256_hex(*bytes) == item.answers->sha256)
      text = *bytes;
    else
      problem = "the run's copy of answers.json is damaged; grade again with --resume";
  }
  result.questions = grade(item.lab, text, item.answers->names, result.score.counters);
  result.questions->answers_sha256 = item.answers->sha256;
  if (!problem.empty()) result.questions->problem = problem;
}

}  // namespace grader
