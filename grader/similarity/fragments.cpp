#include "similarity/fragments.hpp"

#include <algorithm>
#include <unordered_map>

namespace grader::similarity {
namespace {

/// Only the first few places with the same k-gram are tried, so that a file of one repeated line does not
/// take time quadratic in its length.
constexpr std::size_t kMaxPlaces = 16;

using Places = std::unordered_map<Hash, std::vector<std::size_t>>;

Places places_of(const std::vector<Hash>& grams, const std::unordered_set<Hash>& ignored) {
  Places places;
  for (std::size_t i = 0; i < grams.size(); ++i) {
    if (ignored.contains(grams[i])) continue;
    std::vector<std::size_t>& some = places[grams[i]];
    if (some.size() < kMaxPlaces) some.push_back(i);
  }
  return places;
}

class Matcher {
 public:
  Matcher(const Indexed& first, const Indexed& second, const std::unordered_set<Hash>& ignored)
      : first_(first),
        second_(second),
        places_(places_of(second.grams, ignored)),
        is_used_(second.tokens.size()) {}

  std::vector<Fragment> run() {
    std::vector<Fragment> fragments;
    for (std::size_t i = 0; i < first_.grams.size();) {
      const auto [start, length] = longest_match(i);
      if (length < kGramTokens) {
        ++i;
        continue;
      }
      std::fill_n(is_used_.begin() + static_cast<std::ptrdiff_t>(start), length, true);
      fragments.push_back({lines(first_.tokens, i, length), lines(second_.tokens, start, length), length});
      i += length;
    }
    return fragments;
  }

 private:
  /// Start of the match in the second document, and its length.
  std::pair<std::size_t, std::size_t> longest_match(std::size_t i) const {
    std::pair<std::size_t, std::size_t> best{0, 0};
    const auto places = places_.find(first_.grams[i]);
    if (places == places_.end()) return best;
    for (const std::size_t j : places->second) {
      const std::size_t length = match_length(i, j);
      if (length > best.second) best = {j, length};
    }
    return best;
  }

  std::size_t match_length(std::size_t i, std::size_t j) const {
    std::size_t length = 0;
    while (i + length < first_.tokens.size() && j + length < second_.tokens.size() && !is_used_[j + length] &&
           first_.tokens[i + length].kind == second_.tokens[j + length].kind)
      ++length;
    return length;
  }

  static Lines lines(const std::vector<Token>& tokens, std::size_t start, std::size_t length) {
    return {tokens[start].line, tokens[start + length - 1].line};
  }

  const Indexed& first_;
  const Indexed& second_;
  const Places places_;
  std::vector<bool> is_used_;
};

}  // namespace

std::vector<Fragment> common_fragments(const Indexed& first, const Indexed& second,
                                       const std::unordered_set<Hash>& ignored) {
  return Matcher(first, second, ignored).run();
}

}  // namespace grader::similarity
