// Which bytes of its local memory each thread of a block has written: a local array without values is as
// wrong as a variable without one. Covered by tests/vgpu/value_flow_test.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vgpu::exec {

class LocalWrites {
 public:
  /// `bytes`: of each thread. None, if nothing is to be followed.
  LocalWrites(std::size_t threads, std::uint64_t bytes)
      : bytes_(bytes),
        words_of_thread_((bytes + kWordBits - 1) / kWordBits),
        words_(threads * words_of_thread_) {}

  void begin_block() { std::fill(words_.begin(), words_.end(), 0); }
  bool is_off() const { return words_.empty(); }
  /// Whether an access is possible there. Accesses are aligned, so that each is in one word.
  bool contains(std::uint64_t address, std::uint32_t size) const {
    return std::has_single_bit(size) && size <= kWordBits && size <= bytes_ && address <= bytes_ - size &&
           address % size == 0;
  }
  void write(std::size_t thread, std::uint64_t address, std::uint32_t size) {
    words_[word(thread, address)] |= all(size) << address % kWordBits;
  }
  /// A bit for each byte of the access that is not written.
  std::uint64_t unwritten(std::size_t thread, std::uint64_t address, std::uint32_t size) const {
    return ~(words_[word(thread, address)] >> address % kWordBits) & all(size);
  }

 private:
  static constexpr std::uint64_t kWordBits = 64;  ///< a bit for each byte

  static std::uint64_t all(std::uint32_t size) { return ~std::uint64_t{0} >> (kWordBits - size); }
  std::size_t word(std::size_t thread, std::uint64_t address) const {
    return thread * words_of_thread_ + address / kWordBits;
  }

  std::uint64_t bytes_;
  std::size_t words_of_thread_;
  std::vector<std::uint64_t> words_;
};

}  // namespace vgpu::exec
