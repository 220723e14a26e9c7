// What a run of a submission depends on in lab.json, as digests: equal ones mean that another run would give
// the same verdicts, counters and times. Points, thresholds, titles, hints, visibility and the structure of
// tasks are no part of it: they decide what a run is worth. Covered by lab/facts_test.cpp.
#pragma once

#include <string>

#include "lab/lab.hpp"

namespace grader {

/// Of what every run depends on: the workload, the files, what they may use.
std::string facts_sha256(const Lab& lab);

/// Of what a run of the case depends on beside that and its inputs, which have digests of their own. Says
/// nothing about its seed.
std::string facts_sha256(const Case& one_case);

}  // namespace grader
