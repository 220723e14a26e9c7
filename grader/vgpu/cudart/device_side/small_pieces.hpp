// Counts the small pieces in which copies within the device rearrange data: single elements, or rows of
// several copies that interleave, as when a matrix is transposed column by column. The rows of one copy alone
// only change their distance, as when a matrix is padded; they do not count, however short they are. A piece
// that is copied again between the same places, or that continues the one before it at both ends, rearranges
// nothing more. Covered by tests/cudart/small_pieces_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "vgpu/cudart/protocol/box.hpp"

namespace vgpu::cudart {

class SmallPieces {
 public:
  void add(const Rows& to, const Rows& from, const Box& box);
  std::uint64_t count() const { return count_; }

 private:
  /// More copies of short rows than this count as interleaved.
  static constexpr std::size_t kMaxCopies = 1024;

  struct Span {
    std::uint64_t start = 0, end = 0;
    /// Different rows in one range of memory. Equal spans are one array that is copied again.
    bool interleaves(const Span& other) const {
      return start < other.end && other.start < end && start != other.start;
    }
  };
  struct Copied {
    Span to, from;
    std::uint64_t pieces = 0;
    bool is_counted = false;
  };
  void take(Copied& copy);
  void add_single(std::uint64_t to, std::uint64_t from, std::uint64_t size_bytes);

  std::vector<Copied> copies_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> singles_;  ///< known pieces: where to, where from
  std::pair<std::uint64_t, std::uint64_t> end_of_single_;      ///< of the last one
  std::uint64_t count_ = 0;
};

}  // namespace vgpu::cudart
