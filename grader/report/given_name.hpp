// A submission's file is built and diagnosed under the lab's name for it. For a reader who gave another file
// (`check --source FILE`), the diagnostics name that file instead. Covered by
// tests/report/check_text_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "score/score.hpp"

namespace grader {

/// The last part of a path.
std::string_view file_name(std::string_view path);

/// The score with `given` instead of `lab_name` in its diagnostics: as their place, and as "NAME:LINE" in
/// texts.
Score with_given_name(Score score, std::string_view lab_name, std::string_view given);

}  // namespace grader
