// What improved and what got worse between two results of one lab, for `watch`. Pure. Tested by
// tests/report/progress_since_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "report/result.hpp"
#include "report/terminal.hpp"

namespace grader {

/// One line per task whose points changed ("better: boundary 2.31 → 30 of 30 points"), per speed-up that
/// changed by more than one percent, and per kind of mistake that is new or gone. Empty: nothing changed.
std::vector<std::string> changes_since(const Lab& lab, const Result& before, const Result& now);

/// changes_since() in colour, or "no change" if there are none.
std::string progress_since_text(const Lab& lab, const Result& before, const Result& now,
                                const Terminal& terminal);

}  // namespace grader
