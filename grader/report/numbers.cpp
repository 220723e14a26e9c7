#include "report/numbers.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/figure.hpp"
#include "lab/counter_names.hpp"

namespace grader {

std::string points_text(double points) { return fmt::format("{:.6g}", std::round(points * 100) / 100); }

std::string percent_text(double share) { return figure(100 * share, 3) + " %"; }

std::string value_text(double value) { return figure(value, 4); }

std::string seconds_text(double seconds) { return seconds_figure(seconds, 4); }

std::string count_text(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string duration_text(std::uint64_t seconds) {
  const std::uint64_t hours = seconds / 3600, minutes = seconds / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, seconds % 60);
  return fmt::format("{}:{:02}", minutes, seconds % 60);
}

std::string counter_text(const std::string& counter, double value) {
  return counter_figure(counter, value, 4);
}

std::string bounds_text(const std::string& counter, const std::optional<double>& least,
                        const std::optional<double>& most) {
  const auto text = [&](double value) { return counter_text(counter, value); };
  if (least && least == most) return text(*least);
  if (least && most) return text(*least) + "–" + text(*most);
  if (most) return "≤ " + text(*most);
  return least ? "≥ " + text(*least) : "";
}

}  // namespace grader
