// A submission's receipt in one line, for students and instructors. Tested by report/receipt_text_test.cpp.
#pragma once

#include <string>

#include "report/result.hpp"

namespace grader {

/// What the rules of a course have added to a score. The receipt knows nothing of them.
struct PointsByRules {
  double points = 0, max_points = 0;
};

/// "receipt: packed 2026-01-31T10:05:00+01:00 by 0.1.0+…; its digests match the files; it states 87 of 100
/// points, as graded". Empty if the submission has no receipt.
std::string receipt_text(const Result& result, const PointsByRules& by_rules = {});

}  // namespace grader
