// A diagnostic as JSON: the same keys in every file that holds one.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/diagnostic.hpp"

namespace grader {

nlohmann::ordered_json to_json(const Diagnostic& diagnostic);

/// The diagnostic that to_json() wrote. Throws nlohmann::json::exception when `json` is no such thing.
Diagnostic diagnostic_from_json(const nlohmann::ordered_json& json);

}  // namespace grader
