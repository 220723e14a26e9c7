// Two gradings of one class held against each other: which scores changed, and why. Pure data and text; JSON
// as in schema/diff.schema.json. Covered by report/comparison_test.cpp; goldens: tests/report/golden/diff*.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/result_json.hpp"
#include "report/terminal.hpp"

namespace grader {

/// One submission of one lab whose status, verdict or points differ, or that only one of the two has.
struct Change {
  std::string submission, lab;
  std::optional<ClassRow> before, now;
  std::vector<std::string> reasons;  ///< "source", "rubric", …: see reasons_between()
};

struct Comparison {
  std::vector<Change> changes;  ///< by submission, then lab
  std::size_t same = 0;         ///< results that are in both and did not change
};

/// What `before` and `now` record differently of how they came about, in this order: "source", "rubric"
/// (lab.json), "inputs" (dataset or seed), "device", "compiler", "grader" (its version), "time limit". When
/// nothing: "fault" if one of them has no grade, else "measured again" on a real GPU, else "unknown".
std::vector<std::string> reasons_between(const Result& before, const Result& now);

/// Nothing when a reader of marks would see no difference.
std::optional<Change> change_between(const Result& before, const Result& now, const std::string& file);

/// A row a change; columns adapt to the terminal; then totals.
std::string comparison_text(const Comparison& comparison, const Terminal& terminal);
/// Ends with a line end.
std::string comparison_json(const Comparison& comparison);

}  // namespace grader
