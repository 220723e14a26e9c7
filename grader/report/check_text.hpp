// The page that `warpgrade check` prints: a line a task, what went wrong, how fast it is, what to do next.
// Goldens: tests/report/golden/check-*.txt.
#pragma once

#include <string>

#include "lab/lab.hpp"
#include "report/result.hpp"
#include "report/terminal.hpp"

namespace grader {

struct CheckPage {
  std::string source_path;  ///< the file as the reader may open it
  std::string hints_path;   ///< named when something failed; empty = none
};

std::string check_text(const Lab& lab, const Result& result, const CheckPage& page, const Terminal& terminal);

/// The page for one case (`check --case`): no points.
std::string case_text(const Lab& lab, const Result& result, const CheckPage& page, const Terminal& terminal);

/// Objectives (yours, limit, naive, solution) and speed-ups; empty when nothing was measured.
std::string performance_text(const Lab& lab, const Score& score, const Terminal& terminal);

}  // namespace grader
