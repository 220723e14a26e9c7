// A diagnostic as JSON: the same keys in every file that holds one.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/diagnostic.hpp"

namespace grader {

nlohmann::ordered_json to_json(const Diagnostic& diagnostic);

}  // namespace grader
