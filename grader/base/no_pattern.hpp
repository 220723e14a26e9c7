// Wrong values whose cause is unknown. Other diagnostics of the same run then say more about it.
#pragma once

#include <string_view>

#include "base/diagnostic.hpp"

namespace grader {

/// Begins the likely cause of such values.
inline constexpr std::string_view kNoPattern = "no known pattern fits";
/// The same after earlier calls: the cause can be what the program keeps between calls.
inline constexpr std::string_view kNoPatternAfterCalls = "no known pattern fits; if the function is right ";

inline bool has_no_pattern(const Diagnostic& diagnostic) {
  return diagnostic.likely_cause.starts_with(kNoPattern);
}

inline bool suspects_earlier_calls(const Diagnostic& diagnostic) {
  return diagnostic.likely_cause.starts_with(kNoPatternAfterCalls);
}

}  // namespace grader
