// A diagnostic: one thing that is wrong, told so that its reader can act on it. Pure data; only `report`
// renders it.
//
// Codes are stable (people script against them): WG-<family><two digits>. Families: C compile, M memory, R
// race, B barrier, V wrong values, P performance objective missed, H host and CUDA API errors, S policy and
// sandbox, G the grader's own files (a broken lab.json, a missing dataset) and the machine's faults. Every
// code has a page handout/student/diagnostics/<code>.md, which `warpgrade explain` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace grader {

/// A place in a source file. `file` is relative to the lab folder ("tiled_matmul.cu"); `line` counts from 1,
/// 0 = unknown.
struct SourceLocation {
  std::string file;
  int line = 0;

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// A warning costs no points: the program did what it should, but not as it should.
enum class Severity : std::uint8_t { error, warning };

struct Diagnostic {
  std::string code;  ///< "WG-M02"
  Severity severity = Severity::error;
  std::string what;                     ///< one sentence, lower-case first letter, no final period
  std::optional<SourceLocation> where;  ///< the student's line, when there is one
  std::string first;         ///< first occurrence: block, thread, index, values; empty if it has none
  std::uint64_t count = 1;   ///< how many times it was seen; repeats are folded into one diagnostic
  std::string likely_cause;  ///< empty when nothing useful is known
  std::string next_step;     ///< what to try; key "try" in JSON
  std::string source_line;   ///< text of the line at `where`, when it could be read

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// What every diagnostic says at least; the other parts are empty.
inline Diagnostic diagnose(std::string code, std::string what, std::string next_step) {
  Diagnostic result;
  result.code = std::move(code);
  result.what = std::move(what);
  result.next_step = std::move(next_step);
  return result;
}

/// The same of a whole file.
inline Diagnostic diagnose_file(std::string code, std::string file, std::string what, std::string next_step) {
  Diagnostic result = diagnose(std::move(code), std::move(what), std::move(next_step));
  result.where = SourceLocation{.file = std::move(file), .line = 0};
  return result;
}

}  // namespace grader
