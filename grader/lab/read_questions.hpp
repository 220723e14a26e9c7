// Reads the field "questions" of lab.json. Covered by lab/load_lab_test.cpp.
#pragma once

#include <vector>

#include "lab/json_reader.hpp"
#include "lab/lab.hpp"

namespace grader {

/// Requires: `lab` is complete otherwise. Refuses a question whose truth cannot be computed.
std::vector<Question> read_questions(const JsonNode& list, const Lab& lab);

}  // namespace grader
