// A part of global memory. Several workers can apply what blocks did to memory at the same time, each to a
// part of its own.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

namespace vgpu {

/// Every `count`-th page, from the page with number `index` on; all memory if there is one part.
struct MemoryPart {
  static constexpr unsigned kMost = 16;

  unsigned index = 0, count = 1;  ///< `count` is a power of two, at most kMost
  std::uint64_t page_bytes = 4096;

  bool has_page(std::uint64_t number) const {
    assert(std::has_single_bit(count));
    return (number & (count - 1)) == index;
  }
  bool has(std::uint64_t address) const { return count == 1 || has_page(address / page_bytes); }
};

}  // namespace vgpu
