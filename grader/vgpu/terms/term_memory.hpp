// Of a device that follows terms: what the words of its memory were computed from (vgpu/facts/terms.hpp).
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vgpu/facts/terms.hpp"

namespace vgpu::exec {

/// What a block did to global memory; applied when the block commits.
struct StoredTerms {
  struct Update {
    std::uint64_t address = 0;
    Term::Kind kind =
        Term::Kind::sum;  ///< of an atomic operation: the word becomes `kind` of itself and `term`
    TermId term = 0;
  };
  std::unordered_map<std::uint64_t, TermId> words;
  std::vector<Update> updates;
};

class TermMemory {
 public:
  /// Of nodes, and of words that are kept: a program can copy and fill all of its device's memory.
  static constexpr std::size_t kMaxNodes = std::size_t{1} << 22U;

  /// `bits`: the content of the word, which becomes a term of its own if no kernel stored it.
  TermId at(std::uint64_t address, std::uint32_t bits);
  /// Two terms of which one at least is not 0. Terms without a value that matters (0 in a sum, 1 in a
  /// product) are the caller's to leave out.
  TermId combined(Term::Kind kind, TermId left, TermId right);
  TermId applied(Term::Function function, TermId operand);
  TermId constant(double value);
  void commit(StoredTerms stored);

  /// Bytes that came from elsewhere: each word is a term of its own once a kernel reads it.
  void forget(std::uint64_t start, std::size_t bytes);
  /// Bytes that the program filled with one value.
  void fill(std::uint64_t start, std::size_t bytes);
  /// `bits_at(offset)` reads a word of the source.
  template <class BitsAt>
  void copy(std::uint64_t to, std::uint64_t from, std::size_t bytes, BitsAt bits_at) {
    if (!has_room_for(bytes)) return;
    for (std::size_t i = 0; i + sizeof(std::uint32_t) <= bytes; i += sizeof(std::uint32_t))
      words_[to + i] = at(from + i, bits_at(i));
  }
  std::vector<TermId> of_range(std::uint64_t start, std::size_t bytes) const;

  void give_up() { terms_.is_complete = false; }
  const Terms& terms() const { return terms_; }

 private:
  TermId add(Term term);
  /// False, and the graph is given up, if so many words more are too many.
  bool has_room_for(std::size_t bytes);

  Terms terms_;
  std::unordered_map<std::uint64_t, TermId> words_;  ///< by address; 0: a constant
};

}  // namespace vgpu::exec
