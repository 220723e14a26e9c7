// Fingerprints of token sequences by winnowing: S. Schleimer, D. Wilkerson, A. Aiken, "Winnowing: Local
// Algorithms for Document Fingerprinting", SIGMOD 2003. Covered by similarity/winnow_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "similarity/tokens.hpp"

namespace grader::similarity {

/// Tokens per k-gram. Shorter matches are noise: `for (int i = 0; i < n; ++i)` alone has 15 tokens.
inline constexpr std::size_t kGramTokens = 16;
/// K-grams per window; one of each window is kept. Every match of kGramTokens + kWindowGrams - 1 tokens
/// (about three lines) shares a fingerprint.
inline constexpr std::size_t kWindowGrams = 8;

using Hash = std::uint64_t;

/// The hashes of all sequences of kGramTokens tokens; result[i] is the hash of tokens i to i + kGramTokens -
/// 1.
std::vector<Hash> grams_of(const std::vector<Token>& tokens);

/// The smallest hash of each window, in ascending order without duplicates. Hashes in `ignored` are removed
/// first.
std::vector<Hash> fingerprints_of(const std::vector<Hash>& grams, const std::unordered_set<Hash>& ignored);

}  // namespace grader::similarity
