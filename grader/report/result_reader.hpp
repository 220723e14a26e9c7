// Reads result.json and summary.json. Strict about known keys, but ignores keys that a later version adds.
// The functions that take a JsonNode throw JsonProblem (lab/json_reader.hpp). Tested by
// report/result_json_test.cpp and export/class_results_test.cpp.
#pragma once

#include <string>

#include "base/expected.hpp"
#include "lab/json_reader.hpp"
#include "report/result.hpp"
#include "report/result_json.hpp"

namespace grader {

/// Larger files are not results: every text that a result quotes has a maximum length.
inline constexpr std::size_t kMaxResultBytes = std::size_t{16} << 20U;

/// Reads what result_json() wrote: result_json(*parse_result(text)) == text. The error is one
/// sentence; truncated texts and other versions of the schema are errors. Does not throw.
Expected<Result, std::string> parse_result(const std::string& text);

Result read_result(const JsonNode& file);
/// An object of identity_json().
Identity read_identity(const JsonNode& node);
ClassSummary read_summary(const JsonNode& file);

}  // namespace grader
