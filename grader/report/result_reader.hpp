// result.json and summary.json read back. Strict about what is there, silent about keys that a later version
// adds. The functions throw JsonProblem (lab/json_reader.hpp). Covered by report/result_reader_test.cpp.
#pragma once

#include "lab/json_reader.hpp"
#include "report/result.hpp"
#include "report/result_json.hpp"

namespace grader {

Result read_result(const JsonNode& file);
ClassSummary read_summary(const JsonNode& file);

}  // namespace grader
