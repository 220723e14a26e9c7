// The wall clock, for records of when something happened. Nothing else may depend on it.
#pragma once

#include <string>

namespace grader {

/// "2026-01-31T09:05:00Z", as ISO 8601 has it.
std::string utc_now();

}  // namespace grader
