// The calls that the grader adds before a case's checked call. A program that keeps anything between calls
// can recognise what it keeps by an array's address, its size or some of its elements. None of them shows
// that a call's inputs are those of another call. If all elements are equal, the result must be equal, too.
// Pure. Covered by tests/lab/similar_calls_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/job.hpp"
#include "lab/lab.hpp"
#include "lab/workload.hpp"

namespace grader {

/// Added to a case's seed, in multiples, for values that no call of the case has.
inline constexpr std::uint64_t kOtherSeed = std::uint64_t{1} << 40U;

/// The case with values of a simple distribution.
Case with_plain_values(const Workload& workload, Case one_case);

/// Whether the function takes the input as a number, not as an array: it has no dimension.
bool is_number(const harness::Input& input);

/// Adds to the case's own earlier calls, of which the job has at least one. First come those of other sizes,
/// then calls that differ from the checked one in one number, in almost all values, in one half of one input,
/// or in the order of one input's elements. Then come the case's calls (again) and most of those with one
/// difference, each directly followed by a call with exactly the checked call's values in other arrays, whose
/// results are checked, too; the last of these comes twice. Then come the case's calls again, and two calls
/// with almost the checked call's values, in other arrays and in its own; between them, one of smaller sizes
/// in the checked call's arrays. Calls with other numbers are left out if the case's first earlier call has
/// the checked call's numbers.
void add_similar_calls(harness::Job& job, const Workload& workload, const Case& one_case);

/// Adds a call of the case's other function on the checked call's arrays, after a call with the checked
/// call's values in other arrays: what a program keeps for these values is then in the memory that both
/// functions use. Returns the problem if the function has other parameters.
std::optional<std::string> add_other_function(harness::Job& job, const Workload& workload,
                                              const Case& one_case);

}  // namespace grader
