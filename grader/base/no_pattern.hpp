// Wrong values whose cause is unknown. Other diagnostics of the same run then say more about it.
#pragma once

#include <string_view>

#include "base/diagnostic.hpp"

namespace grader {

/// Begins the likely cause of such values.
inline constexpr std::string_view kNoPattern = "no known pattern fits:";

inline bool has_no_pattern(const Diagnostic& diagnostic) {
  return diagnostic.likely_cause.starts_with(kNoPattern);
}

}  // namespace grader
