// Whether what lab.json quotes beside its thresholds is what its programs come to. Pure.
#pragma once

#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "score/score.hpp"

namespace grader {

/// The lab with its tasks independent of each other: the naive program is right but misses objectives, and
/// must reach the others all the same.
Lab without_needs(Lab lab);

/// A sentence for each quoted value that is more than 1 % away from what was counted or modelled. Quoted
/// values are rounded. Both scores are of the virtual GPU and of every case.
std::vector<std::string> misquoted_values(const Lab& lab, const Score& naive, const Score& solution);

}  // namespace grader
