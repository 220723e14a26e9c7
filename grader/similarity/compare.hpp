// Finds similar sources and their similar parts. Pure and deterministic; the order of the documents does not
// matter. Covered by similarity/compare_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace grader::similarity {

struct Document {
  std::string name;  ///< id of the submission
  std::string text;
};

/// Line numbers, counted from 1, both inclusive.
struct Lines {
  std::uint32_t first = 0, last = 0;
};

/// A sequence of tokens that is equal in both documents.
struct Fragment {
  Lines in_first, in_second;
  std::size_t tokens = 0;
};

struct Pair {
  std::size_t first = 0, second = 0;  ///< indices of documents; first < second
  double similarity = 0;            ///< shared fingerprints divided by those of the smaller document; 0 to 1
  std::size_t shared = 0;           ///< number of shared fingerprints
  std::vector<Fragment> fragments;  ///< by position in the first document

  std::size_t longest_lines() const;  ///< lines of the longest fragment, in the first document
};

struct Options {
  double threshold = 0.6;  ///< pairs from this similarity on are marked
  std::size_t top = 20;    ///< maximum number of listed pairs
};

struct Comparison {
  std::string lab;
  double threshold = 0;
  std::vector<Document> documents;  ///< by name
  std::vector<Pair> pairs;          ///< the most similar first; without pairs that share nothing
  std::size_t above_threshold = 0;  ///< number of pairs, including those not listed
  std::size_t pairs_compared = 0;
  std::vector<std::string> too_little;  ///< documents with too little code of their own to compare
};

/// `handed_out` is the code that all students start from; its fingerprints do not count.
Comparison compare(std::string lab, std::vector<Document> documents,
                   const std::vector<std::string>& handed_out, const Options& options);

}  // namespace grader::similarity
