// The diagnosis of a program that a signal ended. Covered by tests/judge/crash_test.cpp.
#pragma once

#include "base/diagnostic.hpp"
#include "harness/job.hpp"
#include "judge/judge.hpp"
#include "runner/runner.hpp"

namespace grader {

Diagnostic diagnose_crash(const CaseRun& run, const harness::Job& job, const SourceText& source);

}  // namespace grader
