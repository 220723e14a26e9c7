// A part of global memory. Several workers can apply what blocks did to memory at the same time, each to a
// part of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

namespace vgpu {

/// Every `count`-th page, from the page with number `index` on; all memory if there is one part.
struct MemoryPart {
  static constexpr unsigned kMost = 16;

  unsigned index = 0, count = 1;  ///< `count` is a power of two, at most kMost
  unsigned page_shift = 12;       ///< a page has 2^page_shift bytes

  std::uint64_t page_of(std::uint64_t address) const { return address >> page_shift; }
  bool has_page(std::uint64_t number) const {
    assert(std::has_single_bit(count));
    return (number & (count - 1)) == index;
  }
  bool has(std::uint64_t address) const { return count == 1 || has_page(page_of(address)); }
  /// Calls visit(address, bytes) for the ranges of adjacent bytes that this part has of a range.
  template <class Visit>
  void for_ranges(std::uint64_t address, std::uint64_t size_bytes, Visit visit) const {
    if (count == 1) return visit(address, size_bytes);
    while (size_bytes != 0) {
      const std::uint64_t next_page = (page_of(address) + 1) << page_shift;
      const std::uint64_t in_page = std::min(size_bytes, next_page - address);
      if (has(address)) visit(address, in_page);
      address += in_page;
      size_bytes -= in_page;
    }
  }
};

/// A set of the parts of memory, by index.
class PartSet {
 public:
  bool has(unsigned index) const { return (bits_ >> index & 1U) != 0; }
  void add_all() { bits_ = ~std::uint16_t{0}; }
  /// Adds the parts, as many and with such pages as `one` of them, that the range is in.
  void add(const MemoryPart& one, std::uint64_t address, std::uint64_t size_bytes) {
    assert(size_bytes != 0);
    const std::uint64_t first = one.page_of(address);
    const std::uint64_t pages = one.page_of(address + size_bytes - 1) - first + 1;
    if (pages >= one.count) return add_all();
    for (std::uint64_t i = 0; i < pages; ++i)
      bits_ = static_cast<std::uint16_t>(bits_ | 1U << ((first + i) & (one.count - 1)));
  }

 private:
  static_assert(MemoryPart::kMost <= 16);

  std::uint16_t bits_ = 0;
};

}  // namespace vgpu
