// Where two token sequences have the same: the longest matches first come, first served, as they are met from
// the start of the first one. Covered by similarity/compare_test.cpp.
#pragma once

#include <unordered_set>
#include <vector>

#include "similarity/compare.hpp"
#include "similarity/winnow.hpp"

namespace grader::similarity {

/// A document as its comparison needs it.
struct Indexed {
  std::vector<Token> tokens;
  std::vector<Hash> grams;
  std::vector<Hash> fingerprints;
};

std::vector<Fragment> common_fragments(const Indexed& first, const Indexed& second,
                                       const std::unordered_set<Hash>& ignored);

}  // namespace grader::similarity
