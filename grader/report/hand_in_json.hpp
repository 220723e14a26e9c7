// Who handed in what, as recorded in summary.json (schema/summary.schema.json). Keys without a value are
// omitted. Tested by report/hand_in_test.cpp.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "base/hand_in.hpp"

namespace grader {

/// The first person's {lms, name, email, lms_id, sis_id}; null if the person is unknown.
nlohmann::ordered_json identity_json(const HandIn& hand_in);

/// [{submission, people, late, submitted_at, not_taken, same_bytes, notes}, …]: only entries with
/// at least one fact.
nlohmann::ordered_json hand_ins_json(const std::map<std::string, HandIn>& hand_ins);

}  // namespace grader
