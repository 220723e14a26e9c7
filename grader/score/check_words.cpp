#include "score/check_words.hpp"

#include "lab/counter_names.hpp"

namespace grader {

std::string words_in_task(const Check& check) {
  const bool is_below = !check.task.empty() && check.id.starts_with(check.task + "/");
  const std::string name = is_below ? check.id.substr(check.task.size() + 1) : check.id;
  const std::size_t at = name.rfind('@');
  if (at == std::string::npos) return name;
  return counter_words(name.substr(0, at)) + " (" + name.substr(at + 1) + ")";
}

std::string task_words(const Check& check) {
  return (check.task_title.empty() ? check.task : check.task_title) + (check.is_bonus ? " (bonus)" : "");
}

std::string check_words(const Check& check) {
  return check.task.empty() ? check.id : task_words(check) + " / " + words_in_task(check);
}

}  // namespace grader
