// The part of a result that a student may see, for all exports. It contains no expected values of a run with
// secret inputs, and details of hidden cases only if the other system can hide them. Pure. Covered by
// export/formats_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "export/class_results.hpp"

namespace grader {

/// One line of another system's list of tests. All texts are printable().
struct ShownCheck {
  std::string name;  ///< check_words(); "02-tiled-matmul: Any shape / 17x33x65" in a class with several labs
  CheckStatus status = CheckStatus::skip;
  double points = 0, max_points = 0;  ///< rounded to 0.01 so that a lab's add up to its score
  Visibility visibility = Visibility::visible;
  std::string summary;  ///< one line: the first diagnostic, why the check was skipped, or what limits the
                        ///< points of a check that passed; can be empty
  std::vector<std::string> lines;  ///< the diagnostics, each mistake once in full; no line is empty or begins
                                   ///< with a blank
  std::string file;                ///< source file of the first diagnostic; can be empty
  int line = 0;                    ///< 0: unknown
  bool is_information = false;     ///< has no points, and its status means nothing
};

enum class Hidden {
  marked,  ///< hidden checks are listed with the others: the other system hides them
  folded   ///< one line for all hidden checks, with their points: the other system cannot hide them
};

/// The checks in order, without those that the device cannot make. Then follow, for each lab, the answers to
/// its questions, which are information unless the course gives points for them; and the rules of the course,
/// whose points can be negative.
std::vector<ShownCheck> shown_checks(const ClassResults& all, const GradedSubmission& one, Hidden hidden);

/// "speed/square-512" → "square-512"; "traffic/<counter>@square-256" → "square-256".
std::string case_of(const Check& check);

/// True if the diagnostic's first occurrence quotes an expected value, and the inputs came from a seed file,
/// so that it must stay secret.
bool quotes_secret_value(const Result& result, const Check& check, const Diagnostic& diagnostic);

/// The sum over the labs; nullopt if a grade is missing, because a partial sum would disadvantage the
/// student.
struct Points {
  double score = 0, max_score = 0;
};
std::optional<Points> total(const ClassResults& all, const GradedSubmission& one);

enum class Totals { shown, withheld };
/// "2 of 100 points" and, for each lab with problems, the first next step. Names no hidden check.
std::string overview(const ClassResults& all, const GradedSubmission& one, Totals totals = Totals::shown);

}  // namespace grader
