#include "judge/contradicted.hpp"

#include <algorithm>

namespace grader {

void drop_contradicted(std::span<CaseVerdict* const> cases) {
  const auto is_contradicted = [&](const Guess& guess) {
    return std::any_of(cases.begin(), cases.end(), [&](const CaseVerdict* one) {
      return std::find(one->excluded.begin(), one->excluded.end(), guess.cause) != one->excluded.end();
    });
  };
  for (CaseVerdict* one : cases) {
    const auto kept = std::find_if_not(one->guesses.begin(), one->guesses.end(), is_contradicted);
    if (kept == one->guesses.begin() || kept == one->guesses.end()) continue;
    std::replace(one->diagnostics.begin(), one->diagnostics.end(), one->guesses.front().diagnostic,
                 kept->diagnostic);
  }
}

}  // namespace grader
