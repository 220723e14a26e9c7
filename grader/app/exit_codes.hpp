// The program's exit codes. They are a stable interface for scripts; tests in tests/e2e reach each of them.
#pragma once

namespace grader::app {

enum ExitCode : int {
  kPassed = 0,         ///< all required checks passed; for `grade`: every submission has a result
  kFailed = 1,         ///< graded; at least one required check failed, or the source does not compile
  kUsage = 2,          ///< the command line or a lab definition is wrong
  kFault = 3,          ///< a fault of the grader or of the machine: no grade given
  kNothingGraded = 4,  ///< there was nothing to grade
  kUnfit = 75,         ///< `grade-items`: this machine cannot grade as the manifest requires; another might
  kInterrupted = 130,  ///< Ctrl-C, SIGTERM or a closed terminal; finished results are kept
};

}  // namespace grader::app
