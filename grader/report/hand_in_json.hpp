// Who handed in what, as summary.json says it (schema/summary.schema.json). Keys without a value are left
// out. Covered by report/hand_in_test.cpp.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "base/hand_in.hpp"

namespace grader {

/// The first person's {lms, name, email, lms_id, sis_id}; null when nobody is known.
nlohmann::ordered_json identity_json(const HandIn& hand_in);

/// [{submission, people, late, submitted_at, not_taken, same_bytes, notes}, …]: those of which there is
/// something to say.
nlohmann::ordered_json hand_ins_json(const std::map<std::string, HandIn>& hand_ins);

}  // namespace grader
