// The lines of a tool's log, and how many of its errors are worth showing.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace grader {

inline constexpr std::size_t kMostLogErrors = 3;

inline std::vector<std::string_view> log_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace grader
