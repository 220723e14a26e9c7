// A diagnostic: one problem, described so that its reader can act on it. Pure data; only `report` renders it.
//
// Codes are stable, because scripts rely on them: WG-<family><two digits>. Families: C compile, M memory, R
// race, B barrier, V wrong values, P missed performance objective, H host and CUDA API errors, S policy and
// sandbox, G the grader's own files (a broken lab.json, a missing dataset) and the machine's faults. Every
// code has a page handout/student/diagnostics/<code>.md, which `warpgrade explain` prints. Mistakes on the
// command line have no code: usage_error().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace grader {

/// A place in a source file. `file` is relative to the lab folder ("tiled_matmul.cu"); `line` counts from 1,
/// 0 = unknown.
struct SourceLocation {
  std::string file;
  int line = 0;

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// A warning costs no points: the result is right, but the program has a defect.
enum class Severity : std::uint8_t {
  error,
  warning,
  note  ///< true, but cannot have changed a result
};

constexpr const char* name_of(Severity severity) {
  if (severity == Severity::error) return "error";
  return severity == Severity::warning ? "warning" : "note";
}
/// The severity with this name; an error for other names.
constexpr Severity severity_named(std::string_view name) {
  for (const Severity one : {Severity::warning, Severity::note})
    if (name == name_of(one)) return one;
  return Severity::error;
}

struct Diagnostic {
  std::string code;  ///< "WG-M02"; empty: a mistake on the command line
  Severity severity = Severity::error;
  std::string what;                     ///< one sentence, lower-case first letter, no final period
  std::optional<SourceLocation> where;  ///< the student's line, if known
  std::string first;                    ///< first occurrence: block, thread, index, values; or empty
  std::uint64_t count = 1;              ///< number of occurrences; repeats are merged into one diagnostic
  std::string likely_cause;             ///< empty if nothing useful is known
  std::string next_step;                ///< advice; key "try" in JSON
  std::string source_line;              ///< text of the line at `where`, if it could be read

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// A diagnostic with the parts that every diagnostic has; the other parts are empty.
inline Diagnostic diagnose(std::string code, std::string what, std::string next_step) {
  Diagnostic result;
  result.code = std::move(code);
  result.what = std::move(what);
  result.next_step = std::move(next_step);
  return result;
}

/// A mistake on the command line. It has neither a code nor a page: the family G is for problems that the
/// reader did not cause.
inline Diagnostic usage_error(std::string what, std::string next_step) {
  return diagnose("", std::move(what), std::move(next_step));
}

/// A diagnostic about a whole file.
inline Diagnostic diagnose_file(std::string code, std::string file, std::string what, std::string next_step) {
  Diagnostic result = diagnose(std::move(code), std::move(what), std::move(next_step));
  result.where = SourceLocation{.file = std::move(file), .line = 0};
  return result;
}

}  // namespace grader
