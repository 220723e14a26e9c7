// A diagnostic as JSON, with the same keys in all files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/diagnostic.hpp"

namespace grader {

nlohmann::ordered_json to_json(const Diagnostic& diagnostic);

/// Reads a diagnostic that to_json() wrote. Throws nlohmann::json::exception if `json` is not a diagnostic.
Diagnostic diagnostic_from_json(const nlohmann::ordered_json& json);

}  // namespace grader
