// Which bytes of an allocation have been written: one bit per word, and masks of bytes for words of which
// only some bytes are written. Most memory is written in words, so the masks are few. Covered by
// tests/vgpu/written_bytes_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace vgpu::exec {

class WrittenBytes {
 public:
  /// The widest range of missing().
  static constexpr std::size_t kMaskBytes = 32;

  /// From now on, no byte of the `size` bytes counts as written. Before, all bytes do.
  void begin(std::size_t size);
  bool are_all() const { return words_.empty(); }
  void mark(std::size_t offset, std::size_t size);
  void mark_all();
  /// The bytes no longer count as written. `of`: the size of the allocation.
  void forget(std::size_t offset, std::size_t size, std::size_t of);
  bool has(std::size_t offset, std::size_t size) const;
  /// The bytes of the range that are not written, one bit per byte.
  std::uint32_t missing(std::size_t offset, std::size_t size) const;
  /// The unwritten bytes of a range, without short gaps, which can be padding of structures.
  struct Gaps {
    std::size_t first = 0;  ///< offset of the first byte
    std::size_t bytes = 0;
  };
  Gaps gaps(std::size_t offset, std::size_t size) const;

 private:
  /// One bit per byte of 64 words.
  using Parts = std::array<std::uint64_t, 4>;

  bool has_word(std::size_t word) const { return (words_[word / 64] >> word % 64 & 1U) != 0; }
  /// The written bytes of a word, one bit per byte.
  std::uint32_t bytes_of(std::size_t word) const;
  void set_bytes(std::size_t word, std::uint32_t bytes);
  void set_words(std::size_t at, std::uint64_t bits);
  void mark_in_word(std::size_t offset, std::size_t size);

  std::vector<std::uint64_t> words_;  ///< one bit per word that is written as a whole; empty: all are
  std::size_t full_ = 0;              ///< elements of words_ of which all bits are set
  /// By index into words_. Bytes of words that are written as a whole are not kept up to date.
  std::unordered_map<std::size_t, Parts> parts_;
};

}  // namespace vgpu::exec
