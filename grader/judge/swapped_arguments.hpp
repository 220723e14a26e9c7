// Arguments in another order than the parameters, or one in the place of two, as their names in the student's
// file show: in launches of kernels that ran, and in calls of the student's own functions. Parameters that
// are never used. Covered by tests/judge/visible_mistakes_test.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "judge/visible_mistakes.hpp"

namespace grader {

/// The first launch or call in the function `entry` with two arguments in exchanged order. `launches`: one of
/// each kernel.
FoundMistake swapped_arguments(const SourceText& source, Launches launches, std::string_view entry);

/// The first one that exchanges two arrays on the device, each with the other's name; or that passes an
/// argument twice, the second time for a parameter whose name another variable of the function has.
FoundMistake argument_of_another(const SourceText& source, Launches launches, std::string_view entry);

/// A pointer that a kernel gets and never uses.
FoundMistake unused_parameter(const SourceText& source, Launches launches);

}  // namespace grader
