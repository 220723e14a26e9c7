// Whether the order of the values that a program sends carries results. A host that has computed which inputs
// a result consists of can send just these, or bits of the result as zeros and ones, and a kernel has little
// left to do. Honest programs send rows, columns, tiles, interleaved arrays and padding: runs in which every
// value follows from earlier ones. The number of runs limits what an order can carry. Pure. Tested by
// judge/word_runs_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/elements.hpp"

namespace grader {

struct PlacedWord {
  std::uint32_t word = 0, place = 0;
};

/// Words in an order, with a sorted index that is made after some searches, or when it is needed as a whole.
/// Not thread-safe, not even for reading.
class IndexedWords {
 public:
  explicit IndexedWords(harness::Words words);

  const harness::Words& words() const { return words_; }
  harness::Words sorted() const;
  /// Quick where the words asked for are in the order of these words.
  bool has(std::uint32_t word) const;
  /// Where the word occurs first.
  std::optional<std::size_t> first(std::uint32_t word) const;
  /// Whether at least 7 of 8 words remain without repeats. Otherwise runs say little.
  bool are_mostly_different() const;
  /// All words, sorted; equal ones by place.
  const std::vector<PlacedWord>& index() const;

 private:
  harness::Words words_;
  mutable std::vector<PlacedWord> index_;  ///< empty: not made yet
  mutable unsigned searches_ = 0;
  mutable std::size_t next_ = 0;  ///< the place after the last one that has() found
};

/// The number of runs in `sent`. A run is a part of `sources`, taken one after the other, with a fixed step
/// (1: as it is; the length of a row: a column), or a word that repeats. Up to 16 runs can alternate.
std::size_t count_runs(std::span<const IndexedWords* const> sources, const harness::Words& sent);

}  // namespace grader
