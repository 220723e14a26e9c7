// The wall clock, for timestamps in records only. No result may depend on it.
#pragma once

#include <string>

namespace grader {

/// The time in ISO 8601 format: "2026-01-31T09:05:00Z".
std::string utc_now();

/// The local time with its offset from UTC: "2026-01-31T10:05:00+01:00".
std::string local_now();

}  // namespace grader
