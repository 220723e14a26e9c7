// What a diagnostic says about the reason for a mistake.
#pragma once

#include <string>
#include <utility>

#include "base/diagnostic.hpp"

namespace grader {

struct Advice {
  std::string likely_cause, next_step;
};

inline void advise(Diagnostic& problem, Advice advice) {
  problem.likely_cause = std::move(advice.likely_cause);
  problem.next_step = std::move(advice.next_step);
}

}  // namespace grader
