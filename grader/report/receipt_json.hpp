// What is known of a submission's receipt, as stored in result.json and manifest.json. Tested by
// report/result_json_test.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/receipt.hpp"
#include "lab/json_reader.hpp"

namespace grader {

/// {packed_at, version, score, max_score, files_match}, or {problem}.
nlohmann::ordered_json receipt_facts_json(const ReceiptFacts& facts);
/// Throws JsonProblem. Ignores other keys.
ReceiptFacts read_receipt_facts(const JsonNode& node);

}  // namespace grader
