// A lab.json without what students must not know. Pure. Covered by packing/public_lab_test.cpp.
#pragma once

#include <set>
#include <string>

#include "lab/lab.hpp"

namespace grader {

/// The names of the cases whose `visibility` is not `visible`.
std::set<std::string> hidden_cases(const Lab& lab);

/// `text` is the lab's lab.json. Without hidden cases the text is returned unchanged. Otherwise hidden cases
/// are removed with every objective and speed-up that uses them, and so are the tasks that then check
/// nothing.
std::string public_lab_json(const Lab& lab, const std::string& text);

}  // namespace grader
