// Tests the diagnostics of programs that end early.
#include "judge/program_end.hpp"

#include <csignal>

#include "catch.hpp"

namespace program_end_test {

namespace {

using grader::CaseRun;
using grader::Diagnostic;
using testing::contains;

const grader::SourceText kSource{"k.cu", {"void f() {", "  CUDA_CHECK(cudaStreamQuery(s));", "}"}};

Diagnostic end_of(CaseRun::End end, int code, std::string printed) {
  CaseRun run;
  run.end = end;
  run.code = code;
  run.printed = std::move(printed);
  const auto verdict = grader::diagnose_end(run, {}, kSource);
  REQUIRE(verdict);
  return verdict->diagnostic;
}

Diagnostic exit_after(std::string printed) { return end_of(CaseRun::End::exited, 1, std::move(printed)); }
Diagnostic abort_after(std::string printed) {
  return end_of(CaseRun::End::crashed, SIGABRT, std::move(printed));
}

}  // namespace

TEST_CASE("a check that ended the program is named with its call, error and line") {
  const Diagnostic failed =
      exit_after("hello\n/box/k.cu:2: cudaStreamQuery(s) failed: cudaErrorNotReady (device not ready)\n");
  CHECK(failed.code == "WG-H02");
  CHECK(failed.what == "a failed check ended the program: cudaStreamQuery(s) returned cudaErrorNotReady");
  CHECK(failed.where == grader::SourceLocation{"k.cu", 2});
  CHECK_THAT(failed.likely_cause, contains("for a query this is not a failure"));
  const Diagnostic other =
      exit_after("other.cu:2: cudaFree(a ? b : c) failed: cudaErrorInvalidValue (invalid)");
  CHECK_THAT(other.what, contains("cudaFree(a ? b : c) returned cudaErrorInvalidValue"));
  CHECK_FALSE(other.where);
}

TEST_CASE("output that is not from a check leaves the exit code") {
  for (const char* printed :
       {"", " failed: cudaErrorX", "everything failed: cuda", "k.cu failed: cudaErrorX"})
    CHECK_THAT(exit_after(printed).what, contains("exited with code 1"));
}

TEST_CASE("overwritten memory around host arrays is distinguished from other aborts") {
  CHECK_THAT(abort_after("free(): invalid next size (normal)\n").likely_cause,
             contains("past the end of a host array"));
  CHECK_THAT(abort_after("*** stack smashing detected ***: terminated").likely_cause,
             contains("a local array"));
  CHECK_THAT(abort_after("terminate called after throwing").likely_cause, contains("an uncaught exception"));
}

}  // namespace program_end_test
