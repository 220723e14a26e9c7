// Recognises right values in wrong places: rows or columns away, rows in each other's places, pieces of a
// result one over the other, sums that contain an earlier sum. Covered by tests/judge/moved_values_test.cpp.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "judge/wrong_values.hpp"

namespace grader {

/// WG-V01; nullopt: the wrong values are no such values.
std::optional<Diagnostic> diagnose_moved_values(const WrongValues& values);
/// WG-V02: pieces of a vector were copied to the same place, and the rest was never written.
std::optional<Diagnostic> diagnose_pieces_in_one_place(const WrongValues& values);

}  // namespace grader
