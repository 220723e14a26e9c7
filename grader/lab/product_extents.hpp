// Typical mistakes of a product of an m × k and a k × n matrix whose guards or loops use another extent than
// they should, such as `column < n` for a column of M. For every lab with such a product. Covered by
// tests/lab/product_extents_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lab/workload.hpp"

namespace grader {

struct Product {
  std::string output;
  std::size_t m = 0, k = 0, n = 0;
  std::vector<std::size_t> tile_widths;  ///< the usual ones
  /// The sum of terms [from, to) of an element.
  std::function<double(std::size_t row, std::size_t column, std::size_t from, std::size_t to)> sum;
};

/// Wrong extents in guards, for rows, columns and terms: those that change the product, one wrong extent
/// before several.
std::vector<Hypothesis> wrong_extents(const Product& product);

/// A loop over tiles that covers another extent than k, rounded up to whole tiles.
std::vector<Hypothesis> wrong_loop_extents(const Product& product);

}  // namespace grader
