// Reads the log of compute-sanitizer: its findings as diagnostics. Pure. Not trusted: the checked program can
// write to the log. Covered by tests/profile/sanitizer_log_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judge.hpp"

namespace grader {

/// In the order in which they run: "memcheck", …
inline constexpr std::string_view kSanitizerTools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};

struct SanitizerLog {
  std::vector<Diagnostic> findings;  ///< equal ones at one line are merged
  std::vector<std::string> errors;   ///< why the log is not that of a complete run; empty: it is
};

/// `tool` is one of kSanitizerTools; `source`: the student's file, whose lines are quoted.
SanitizerLog read_sanitizer_log(std::string_view text, std::string_view tool, const SourceText& source);

/// The arguments of `compute-sanitizer` that write such a log.
std::vector<std::string> sanitizer_arguments(std::string_view tool);

}  // namespace grader
