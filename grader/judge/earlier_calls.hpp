// What the calls before the checked one show: results that depend on the call before, and the calls' text in
// diagnostics. Pure. Covered by judge/earlier_calls_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "harness/job.hpp"
#include "judge/judge.hpp"

namespace grader {

/// One diagnostic for each output that is wrong in an earlier call with the checked call's values, for the
/// first such call.
std::vector<Diagnostic> diagnose_earlier_outputs(const harness::Job& job, const CaseRun& run,
                                                 const std::vector<Expectation>& expected);

/// A call with the checked call's values, or the checked call itself, that launches no kernel: its result, of
/// an earlier call, is right by chance only. Requires: the session has a CallStart for each call, or none.
std::optional<Diagnostic> diagnose_kept_result(const harness::Job& job,
                                               const vgpu::cudart::SessionReport& session);

/// The cause and the next step of a result that is right in a call alone, and wrong after others.
void blame_call_before(Diagnostic& one);

/// Mentions the earlier calls if the problem is an error, also as a cause of wrong values and overruns.
void mention_earlier_calls(const harness::Job& job, Diagnostic& one);

}  // namespace grader
