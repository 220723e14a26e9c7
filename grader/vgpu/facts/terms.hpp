// What values were computed from: a graph of operations on words of memory. A sum of n products takes 2 n
// nodes, which refer to each other, instead of a text for each partial sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vgpu {

/// A node of a graph. 0: a constant, such as an index or a size, or unknown.
using TermId = std::uint32_t;

struct Term {
  enum class Kind : std::uint8_t {
    word,      ///< of memory: `left` is an index into Terms::words
    constant,  ///< `left` is an index into Terms::constants
    sum,
    difference,
    product,
    quotient,
    minimum,
    maximum,
    test,      ///< a comparison, of one term or two; `right` can be 0, as in the last one
    function,  ///< of `left`; `right` is a Function
    other
  };
  /// `half`: rounded to 16 bits.
  enum class Function : std::uint32_t { absolute, negated, truncated, root, half, other };
  Kind kind = Kind::word;
  TermId left = 0, right = 0;
};

struct Terms {
  /// A word that no kernel had stored when a kernel read it.
  struct Word {
    std::uint64_t address = 0;
    std::uint32_t bits = 0;
  };
  std::vector<Term> nodes{1};  ///< by TermId
  std::vector<Word> words;
  std::vector<double> constants;
  bool is_complete = true;  ///< false: too many nodes, or an instruction that is not followed
};

}  // namespace vgpu
