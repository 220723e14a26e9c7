#include "similarity/compare.hpp"

#include <algorithm>
#include <unordered_map>

#include "similarity/fragments.hpp"

namespace grader::similarity {
namespace {

/// Documents with fewer fingerprints have only a few lines, which are often similar by chance.
constexpr std::size_t kMinFingerprints = 4;
/// The rest of a source is ignored; a lab's solution has some thousand tokens.
constexpr std::size_t kMaxTokens = 200'000;

Indexed indexed(const std::string& text, const std::unordered_set<Hash>& ignored) {
  Indexed made;
  made.tokens = tokens_of(text);
  if (made.tokens.size() > kMaxTokens) made.tokens.resize(kMaxTokens);
  made.grams = grams_of(made.tokens);
  made.fingerprints = fingerprints_of(made.grams, ignored);
  return made;
}

/// The most similar pairs first; equally similar pairs are ordered by name.
bool comes_before(const Pair& a, const Pair& b) {
  if (a.similarity != b.similarity) return a.similarity > b.similarity;
  if (a.shared != b.shared) return a.shared > b.shared;
  return std::pair(a.first, a.second) < std::pair(b.first, b.second);
}

class Comparer {
 public:
  Comparer(const std::vector<Indexed>& documents, Comparison& result)
      : documents_(documents), result_(result) {
    for (std::size_t i = 0; i < documents.size(); ++i)
      if (documents[i].fingerprints.size() >= kMinFingerprints)
        for (const Hash hash : documents[i].fingerprints) owners_[hash].push_back(i);
  }

  void run(std::size_t top) {
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      if (documents_[i].fingerprints.size() >= kMinFingerprints)
        compare_with_later(i);
      else
        result_.too_little.push_back(result_.documents[i].name);
      keep(top);
    }
    const std::size_t compared = documents_.size() - result_.too_little.size();
    result_.pairs_compared = compared * (compared - std::min<std::size_t>(compared, 1)) / 2;
  }

 private:
  /// Counts, for all later documents in one pass, the fingerprints that they share with this document.
  void compare_with_later(std::size_t i) {
    std::vector<std::size_t> shared(documents_.size());
    for (const Hash hash : documents_[i].fingerprints) {
      const std::vector<std::size_t>& owners = owners_.at(hash);
      for (auto j = std::upper_bound(owners.begin(), owners.end(), i); j != owners.end(); ++j) ++shared[*j];
    }
    for (std::size_t j = i + 1; j < documents_.size(); ++j) {
      if (shared[j] == 0) continue;
      const std::size_t smaller =
          std::min(documents_[i].fingerprints.size(), documents_[j].fingerprints.size());
      Pair pair{i, j, static_cast<double>(shared[j]) / static_cast<double>(smaller), shared[j], {}};
      if (pair.similarity >= result_.threshold) ++result_.above_threshold;
      result_.pairs.push_back(std::move(pair));
    }
  }

  void keep(std::size_t top) {
    std::sort(result_.pairs.begin(), result_.pairs.end(), comes_before);
    if (result_.pairs.size() > top) result_.pairs.resize(top);
  }

  const std::vector<Indexed>& documents_;
  Comparison& result_;
  std::unordered_map<Hash, std::vector<std::size_t>>
      owners_;  ///< documents with a fingerprint, in ascending order
};

}  // namespace

std::size_t Pair::longest_lines() const {
  std::size_t longest = 0;
  for (const Fragment& fragment : fragments)
    longest = std::max<std::size_t>(longest, fragment.in_first.last - fragment.in_first.first + 1);
  return longest;
}

Comparison compare(std::string lab, std::vector<Document> documents,
                   const std::vector<std::string>& handed_out, const Options& options) {
  std::unordered_set<Hash> ignored;
  for (const std::string& text : handed_out)
    for (const Hash gram : grams_of(tokens_of(text))) ignored.insert(gram);
  std::sort(documents.begin(), documents.end(),
            [](const Document& a, const Document& b) { return a.name < b.name; });
  std::vector<Indexed> all;
  for (const Document& document : documents) all.push_back(indexed(document.text, ignored));

  Comparison result;
  result.lab = std::move(lab);
  result.threshold = options.threshold;
  result.documents = std::move(documents);
  Comparer(all, result).run(options.top);
  for (Pair& pair : result.pairs)
    pair.fragments = common_fragments(all[pair.first], all[pair.second], ignored);
  return result;
}

}  // namespace grader::similarity
