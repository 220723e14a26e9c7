// Finds common parts of two token sequences. Goes through the first sequence from its start, takes the
// longest match at each position, and uses each token once. Covered by similarity/compare_test.cpp.
#pragma once

#include <unordered_set>
#include <vector>

#include "similarity/compare.hpp"
#include "similarity/winnow.hpp"

namespace grader::similarity {

/// A document, prepared for comparison.
struct Indexed {
  std::vector<Token> tokens;
  std::vector<Hash> grams;
  std::vector<Hash> fingerprints;
};

std::vector<Fragment> common_fragments(const Indexed& first, const Indexed& second,
                                       const std::unordered_set<Hash>& ignored);

}  // namespace grader::similarity
