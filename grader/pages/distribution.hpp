// Histograms with bounds that people can read. Pure. Covered by pages/distribution_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

namespace grader::pages {

/// Values from `from` on, and below `to`; the last bin of a histogram includes `to`.
struct Bin {
  double from = 0, to = 0;
  std::size_t count = 0;
};

/// `bins` bins of equal width from 0 to `most`, which no value exceeds.
std::vector<Bin> histogram(const std::vector<double>& values, double most, std::size_t bins);

/// The same from 0 to a round number, at least 1; the width of the bins is 1, 2 or 5 times a power of ten,
/// and there are 5 to 12 bins. Empty if there are no values. Values must be finite and not negative.
std::vector<Bin> round_histogram(const std::vector<double>& values);

}  // namespace grader::pages
