// Which of many sources are alike, and where. Pure and deterministic; the order of the documents does not
// matter. Covered by similarity/compare_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace grader::similarity {

struct Document {
  std::string name;  ///< the submission
  std::string text;
};

/// Lines from 1, both included.
struct Lines {
  std::uint32_t first = 0, last = 0;
};

/// The same tokens in both.
struct Fragment {
  Lines in_first, in_second;
  std::size_t tokens = 0;
};

struct Pair {
  std::size_t first = 0, second = 0;  ///< documents; first < second
  double similarity = 0;              ///< shared fingerprints, as a share of the smaller document's; 0 to 1
  std::size_t shared = 0;             ///< fingerprints
  std::vector<Fragment> fragments;    ///< by place in the first document

  std::size_t longest_lines() const;  ///< of its fragments, in the first document
};

struct Options {
  double threshold = 0.6;  ///< from here on a pair is worth a look
  std::size_t top = 20;    ///< pairs that are listed at most
};

struct Comparison {
  std::string lab;
  double threshold = 0;
  std::vector<Document> documents;  ///< by name
  std::vector<Pair> pairs;          ///< the most alike first; those that share nothing are left out
  std::size_t above_threshold = 0;  ///< of all pairs, also those not listed
  std::size_t pairs_compared = 0;
  std::vector<std::string> too_little;  ///< documents with too little of their own to say anything
};

/// `handed_out` is what everybody starts from: what it has does not count.
Comparison compare(std::string lab, std::vector<Document> documents,
                   const std::vector<std::string>& handed_out, const Options& options);

}  // namespace grader::similarity
