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

/// "262.4 us", "1.201 ms", "2.5 s"
inline std::string seconds_figure(double seconds, int digits) {
  const double size = std::fabs(seconds);
  if (size >= 1) return fmt::format("{:.{}g} s", seconds, digits);
  if (size >= 1e-3) return fmt::format("{:.{}g} ms", seconds * 1e3, digits);
  return fmt::format("{:.{}g} us", seconds * 1e6, digits);
}

}  // namespace grader
