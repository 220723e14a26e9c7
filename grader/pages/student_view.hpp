// What students may see of a class's results: each their own page, no hidden checks, no expected values of
// secret inputs. Pure. Covered by pages/student_view_test.cpp.
#pragma once

#include "pages/report.hpp"

namespace grader::pages {

/// Folds the hidden checks of every result into one, which has their points and no details. Removes the
/// counters and times of hidden cases; first occurrences that quote expected values of secret inputs;
/// pictures of labs with hidden cases or secret inputs; identities, notes for the instructor, similar pairs,
/// changes.
ReportInput student_view(ReportInput input);

}  // namespace grader::pages
