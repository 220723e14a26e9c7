#include "similarity/winnow.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace grader::similarity;

namespace {

/// Tokens that look random but are the same in every run.
std::vector<Token> noise(std::size_t count, std::uint32_t seed) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < count; ++i) tokens.push_back({seed = seed * 1664525U + 1013904223U, 1});
  return tokens;
}

std::vector<Token> joined(std::vector<Token> a, const std::vector<Token>& b, const std::vector<Token>& c) {
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  return a;
}

bool share_one(const std::vector<Hash>& a, const std::vector<Hash>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](Hash hash) { return std::binary_search(b.begin(), b.end(), hash); });
}

}  // namespace

TEST_CASE("k-grams depend on their own tokens only") {
  const auto common = noise(kGramTokens, 1);
  const auto once = grams_of(joined(noise(5, 2), common, noise(7, 3)));
  const auto again = grams_of(joined(noise(11, 4), common, {}));
  CHECK(once.at(5) == again.at(11));
  CHECK(grams_of(noise(kGramTokens - 1, 1)).empty());
}

TEST_CASE("every match of the guaranteed length shares a fingerprint, at any position") {
  const auto common = noise(kGramTokens + kWindowGrams - 1, 7);
  for (std::uint32_t before = 0; before < 40; ++before) {
    const auto a = fingerprints_of(grams_of(joined(noise(before, 8), common, noise(30, 9))), {});
    const auto b = fingerprints_of(grams_of(joined(noise(30, 10), common, noise(before, 11))), {});
    CHECK(share_one(a, b));
  }
}

TEST_CASE("ignored k-grams do not affect the fingerprints") {
  const auto grams = grams_of(noise(100, 12));
  CHECK(fingerprints_of(grams, {grams.begin(), grams.end()}).empty());
  const auto all = fingerprints_of(grams, {});
  const auto fewer = fingerprints_of(grams, {all.front()});
  CHECK_FALSE(std::binary_search(fewer.begin(), fewer.end(), all.front()));
}

TEST_CASE("fewer k-grams than a window still leave a fingerprint") {
  CHECK(fingerprints_of(grams_of(noise(kGramTokens + 2, 13)), {}).size() == 1);
}
