#include "judge/contradicted.hpp"

#include <algorithm>

namespace grader {

void drop_contradicted(std::span<CaseVerdict* const> cases) {
  const auto is_contradicted = [&](const Guess& guess) {
    if (guess.cause.empty()) return false;
    const auto excludes = [&](const CaseVerdict* one) {
      return std::find(one->excluded.begin(), one->excluded.end(), guess.cause) != one->excluded.end();
    };
    const auto agrees = [&](const CaseVerdict* one) {
      return std::any_of(one->guesses.begin(), one->guesses.end(),
                         [&](const Guess& other) { return other.cause == guess.cause; });
    };
    return std::count_if(cases.begin(), cases.end(), excludes) >
           std::count_if(cases.begin(), cases.end(), agrees);
  };
  for (CaseVerdict* one : cases) {
    const auto kept = std::find_if_not(one->guesses.begin(), one->guesses.end(), is_contradicted);
    if (kept == one->guesses.begin() || kept == one->guesses.end()) continue;
    std::replace(one->diagnostics.begin(), one->diagnostics.end(), one->guesses.front().diagnostic,
                 kept->diagnostic);
  }
}

}  // namespace grader
