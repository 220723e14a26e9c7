// Order statistics of small samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace grader {

/// The middle value, or the mean of the two middle values; 0 if there are no values.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

/// The smallest value that at least three quarters of the values do not exceed; 0 if there are no values.
inline double third_quartile(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[(3 * values.size() + 3) / 4 - 1];
}

}  // namespace grader
