// A measured number as text for people: integers in full, other values rounded to `digits` significant
// digits.
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
