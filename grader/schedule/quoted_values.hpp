// Checks that the values quoted next to the thresholds in lab.json are those that the programs reach. Pure.
#pragma once

#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "score/score.hpp"

namespace grader {

/// A copy of the lab whose tasks do not need each other. The naive program misses objectives, but later tasks
/// must still be run for it.
Lab without_needs(Lab lab);

/// One sentence per quoted value that differs by more than 1 % from the counted or modelled value. Quoted
/// values are rounded. Both scores must be from the virtual GPU and include every case.
std::vector<std::string> misquoted_values(const Lab& lab, const Score& naive, const Score& solution);

/// One sentence per objective that a program could meet by recognising the sizes of its case: an upper limit
/// on work that most of the function's other cases lack, although the naive program has more than three times
/// the solution's value there. Cases with earlier calls count several calls, so they are left out.
std::vector<std::string> unlimited_cases(const Lab& lab, const Score& naive, const Score& solution);

}  // namespace grader
