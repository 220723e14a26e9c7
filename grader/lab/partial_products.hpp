// Typical mistakes of the loops of a tiled matrix product: sums that lack terms, or have some of them twice.
// Covered by tests/lab/product_extents_test.cpp.
#pragma once

#include <vector>

#include "lab/product_extents.hpp"

namespace grader {

/// For each usual width of tiles, in that order.
std::vector<Hypothesis> partial_products(const Product& product);

}  // namespace grader
