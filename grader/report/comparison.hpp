// Compares two gradings of one class: which scores changed, and why. Pure data and text; the JSON follows
// schema/diff.schema.json. Tested by report/comparison_test.cpp; goldens: tests/report/golden/diff*.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/result_json.hpp"
#include "report/terminal.hpp"

namespace grader {

/// A result whose status, verdict or points differ, or that only one of the two gradings has.
struct Change {
  std::string submission, lab;
  std::optional<ClassRow> before, now;
  std::vector<std::string> reasons;  ///< "source", "rubric", …: see reasons_between()
};

struct Comparison {
  std::vector<Change> changes;  ///< by submission, then lab
  std::size_t same = 0;         ///< number of unchanged results in both gradings
};

/// The differences in provenance between `before` and `now`, in this order: "source", "rubric" (lab.json),
/// "inputs" (dataset or seed), "device", "compiler", "grader" (its version), "time limit". Without
/// differences: "fault" if one of them has no grade, otherwise "measured again" on a real GPU, otherwise
/// "unknown".
std::vector<std::string> reasons_between(const Result& before, const Result& now);

/// nullopt if status, verdict and points are equal.
std::optional<Change> change_between(const Result& before, const Result& now, const std::string& file);

/// One row per change, then totals. Columns adapt to the terminal.
std::string comparison_text(const Comparison& comparison, const Terminal& terminal);
/// Ends with a line end.
std::string comparison_json(const Comparison& comparison);

}  // namespace grader
