// Digests of the parts of lab.json on which a run of a submission depends. If digests are equal, another run
// would give the same verdicts, counters and times. Points, thresholds, titles, hints, visibility and the
// structure of tasks are not included: they only determine the score of a run. Tested by lab/facts_test.cpp.
#pragma once

#include <string>

#include "lab/lab.hpp"

namespace grader {

/// Digest of the facts for every run: the workload, the files, and what submissions are allowed to use.
std::string facts_sha256(const Lab& lab);

/// Digest of the facts for a run of the case, in addition to those of the lab and to the inputs, which have
/// digests of their own. Reveals nothing about the seed.
std::string facts_sha256(const Case& one_case);

}  // namespace grader
