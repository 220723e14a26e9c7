#include "pages/distribution.hpp"

#include <algorithm>
#include <cmath>

namespace grader::pages {

std::vector<Bin> histogram(const std::vector<double>& values, double most, std::size_t bins) {
  std::vector<Bin> result(bins);
  const double width = most / static_cast<double>(bins);
  for (std::size_t i = 0; i < bins; ++i)
    result[i] = {width * static_cast<double>(i), width * static_cast<double>(i + 1), 0};
  for (const double value : values) {
    const auto after =
        std::find_if(result.begin(), result.end(), [&](const Bin& bin) { return value < bin.to; });
    ++(after == result.end() ? result.back() : *after).count;
  }
  return result;
}

std::vector<Bin> round_histogram(const std::vector<double>& values) {
  if (values.empty()) return {};
  constexpr double kMostBins = 12;
  const double most = std::max(*std::max_element(values.begin(), values.end()), 1.0);
  double width = std::pow(10, std::floor(std::log10(most / kMostBins)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (most <= width * factor * kMostBins) {
      width *= factor;
      break;
    }
  const auto bins = static_cast<std::size_t>(std::ceil(most / width));
  return histogram(values, width * static_cast<double>(bins), bins);
}

}  // namespace grader::pages
