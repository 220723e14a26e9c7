// A diagnostic about host code or the program's process.
#pragma once

#include <string>
#include <utility>

#include "base/diagnostic.hpp"

namespace grader {

inline Diagnostic host_problem(std::string code, std::string what, std::string likely_cause,
                               std::string next_step) {
  Diagnostic problem;
  problem.code = std::move(code);
  problem.what = std::move(what);
  problem.likely_cause = std::move(likely_cause);
  problem.next_step = std::move(next_step);
  return problem;
}

}  // namespace grader
