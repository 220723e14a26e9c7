#include "base/spelling.hpp"

#include <algorithm>

namespace grader {
namespace {

constexpr std::size_t kLongestWord = 64;

}  // namespace

std::size_t edit_distance(std::string_view one, std::string_view other) {
  one = one.substr(0, kLongestWord);
  other = other.substr(0, kLongestWord);
  // Rows of the table for the prefixes of `one`: two before, one before, this one.
  std::vector<std::size_t> older(other.size() + 1), previous(other.size() + 1), row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    older.swap(previous);
    previous.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t substitution = previous[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, substitution});
      const bool swapped = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (swapped) row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row[other.size()];
}

std::optional<std::string> closest(std::string_view word, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::optional<std::string> completed(std::string_view word, const std::vector<std::string>& candidates) {
  if (std::find(candidates.begin(), candidates.end(), word) != candidates.end()) return std::string(word);
  const auto begins = [&](const std::string& candidate) { return candidate.starts_with(word); };
  if (word.empty() || std::count_if(candidates.begin(), candidates.end(), begins) != 1) return std::nullopt;
  return *std::find_if(candidates.begin(), candidates.end(), begins);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto guess = closest(word, candidates);
  return guess ? "; did you mean `" + *guess + "`?" : "";
}

}  // namespace grader
