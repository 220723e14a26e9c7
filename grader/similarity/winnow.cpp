#include "similarity/winnow.hpp"

#include <algorithm>
#include <deque>

namespace grader::similarity {
namespace {

/// The finaliser of SplitMix64. It makes the choice of the smallest hash independent of the k-gram's content.
Hash mixed(Hash x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

}  // namespace

std::vector<Hash> grams_of(const std::vector<Token>& tokens) {
  constexpr Hash kBase = 0x9E3779B97F4A7C15U;  // odd, so that multiplication modulo 2^64 is invertible
  if (tokens.size() < kGramTokens) return {};
  Hash leaving = 1;  // kBase^kGramTokens, the weight of the token that leaves the rolling (Rabin-Karp) hash
  for (std::size_t i = 0; i < kGramTokens; ++i) leaving *= kBase;
  std::vector<Hash> grams;
  grams.reserve(tokens.size() - kGramTokens + 1);
  Hash rolling = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    rolling = rolling * kBase + tokens[i].kind + 1;
    if (i >= kGramTokens) rolling -= leaving * (tokens[i - kGramTokens].kind + 1);
    if (i + 1 >= kGramTokens) grams.push_back(mixed(rolling));
  }
  return grams;
}

std::vector<Hash> fingerprints_of(const std::vector<Hash>& grams, const std::unordered_set<Hash>& ignored) {
  std::vector<Hash> own;
  for (const Hash gram : grams)
    if (!ignored.contains(gram)) own.push_back(gram);
  std::vector<Hash> chosen;
  std::deque<std::size_t>
      ascending;  // positions in the window with ascending hashes; the first is the smallest
  for (std::size_t i = 0; i < own.size(); ++i) {
    while (!ascending.empty() && own[ascending.back()] >= own[i]) ascending.pop_back();
    ascending.push_back(i);
    if (ascending.front() + kWindowGrams <= i) ascending.pop_front();
    const bool is_full = i + 1 >= std::min(kWindowGrams, own.size());
    if (is_full) chosen.push_back(own[ascending.front()]);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace grader::similarity
