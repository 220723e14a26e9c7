// A measured number as people read it: counts and bytes whole, everything else to some digits.
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace grader {

inline std::string figure(double value, int digits) {
  constexpr double kMostExact = 1e12;
  if (std::fabs(value) < kMostExact && std::trunc(value) == value) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

}  // namespace grader
