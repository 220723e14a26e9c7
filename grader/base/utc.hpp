// The wall clock, for timestamps in records only. No result may depend on it.
#pragma once

#include <string>

namespace grader {

/// The time in ISO 8601 format: "2026-01-31T09:05:00Z".
std::string utc_now();

}  // namespace grader
