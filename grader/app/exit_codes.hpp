// What the program's exit status says. People script against these; each is reached by a test in tests/e2e.
#pragma once

namespace grader::app {

enum ExitCode : int {
  kPassed = 0,         ///< all required checks passed; for `grade`: every submission has a result
  kFailed = 1,         ///< graded; at least one required check failed (a source that does not compile too)
  kUsage = 2,          ///< the command line or a lab definition is wrong
  kFault = 3,          ///< the grader's or the machine's own fault: no grade given
  kNothingGraded = 4,  ///< there was nothing to grade
  kUnfit = 75,         ///< `grade-items`: this machine cannot grade what the manifest asks for; others may
  kInterrupted = 130,  ///< Ctrl-C; what was finished is kept
};

}  // namespace grader::app
