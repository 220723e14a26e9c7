// What a student may see of a result, which every export shows: no expected value of a run with secret
// inputs, and of hidden cases only what the other system can hide. Pure. Covered by export/shown_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "export/class_results.hpp"

namespace grader {

/// One line of another system's list of tests. All texts are printable().
struct ShownCheck {
  std::string
      name;  ///< "boundary/17x33x65"; "02-tiled-matmul: boundary/17x33x65" in a class with several labs
  CheckStatus status = CheckStatus::skip;
  double points = 0, max_points = 0;  ///< rounded to 0.01
  Visibility visibility = Visibility::visible;
  std::string summary;  ///< one line: the first diagnostic, or why it was skipped; empty when all is well
  std::vector<std::string> lines;  ///< the diagnostics in full; none begins with a blank or is empty
  std::string file;                ///< of the first diagnostic; may be empty
  int line = 0;                    ///< 0: unknown
};

enum class Hidden {
  marked,  ///< hidden checks stand among the others: the other system hides them
  folded   ///< one line for all of them, with their points: nobody would hide them
};

/// Checks that the device cannot make are left out.
std::vector<ShownCheck> shown_checks(const ClassResults& all, const GradedSubmission& one, Hidden hidden);

/// The sum of the labs; none when a grade is missing, since a part of the sum would be charged to the
/// student.
struct Points {
  double score = 0, max_score = 0;
};
std::optional<Points> total(const ClassResults& all, const GradedSubmission& one);

enum class Totals { told, withheld };
/// "2 of 100 points" and, for each lab with problems, the first thing to do. Names no hidden check.
std::string overview(const ClassResults& all, const GradedSubmission& one, Totals totals = Totals::told);

}  // namespace grader
