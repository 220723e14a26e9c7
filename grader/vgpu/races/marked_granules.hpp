// A set of granules of memory, as one bit per granule in pages: the blocks of a launch mostly access pages
// that an earlier block accessed, and marking a granule again costs less than searching a list of ranges.
// Covered by tests/vgpu/access_summary_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vgpu/races/block_log.hpp"
#include "vgpu/state/block_table.hpp"

namespace vgpu {

/// Granules are numbered; a range is [first, first + count).
class MarkedGranules {
 public:
  static constexpr std::size_t kPageGranules = 1024;

  struct Page {
    std::uint64_t number = 0;  ///< granule / kPageGranules
    std::array<std::uint64_t, kPageGranules / 64> marks{};

    /// Calls visit(first, count) for the ranges of marked granules, by number, until it returns false.
    template <class Visit>
    bool for_ranges(Visit visit) const {
      for (std::size_t at = next(0, true); at < kPageGranules;) {
        const std::size_t end = next(at, false);
        if (!visit(number * kPageGranules + at, end - at)) return false;
        at = next(end, true);
      }
      return true;
    }

   private:
    friend class MarkedGranules;

    void mark(std::size_t at, std::size_t count) {
      while (count > 0) {
        const std::size_t bits = std::min(count, 64 - at % 64);
        marks[at / 64] |= (~std::uint64_t{0} >> (64 - bits)) << at % 64;
        at += bits;
        count -= bits;
      }
    }
    /// The first granule from `at` on that is marked, or that is not marked; kPageGranules if there is none.
    std::size_t next(std::size_t at, bool is_marked) const {
      if (at >= kPageGranules) return kPageGranules;
      const std::uint64_t flipped = is_marked ? 0 : ~std::uint64_t{0};
      std::size_t word = at / 64;
      std::uint64_t some = (marks[word] ^ flipped) & ~std::uint64_t{0} << at % 64;
      while (some == 0) {
        if (++word == marks.size()) return kPageGranules;
        some = marks[word] ^ flipped;
      }
      return word * 64 + static_cast<std::size_t>(std::countr_zero(some));
    }
  };

  void add(std::uint64_t first, std::uint64_t count) {
    while (count > 0) {
      const std::size_t at = first % kPageGranules;
      const std::size_t here = std::min<std::uint64_t>(count, kPageGranules - at);
      page(first / kPageGranules).mark(at, here);
      first += here;
      count -= here;
    }
  }
  /// Adds elements with gaps between them, all in one page; `count`: their granules.
  void add_spaced(std::uint64_t first, const Spacing& spacing, std::uint32_t count) {
    Page& page = this->page(first / kPageGranules);
    for (std::uint32_t i = 0; i < count; i += spacing.element())
      page.mark(first % kPageGranules + spacing.place_of(i), spacing.element());
  }

  /// In the order in which granules were first marked in them.
  const std::vector<Page>& pages() const { return pages_; }

 private:
  Page& page(std::uint64_t number) {
    if (const std::size_t* known = by_number_.find(number)) return pages_[*known];
    by_number_.add(number, pages_.size());
    return pages_.emplace_back(Page{.number = number});
  }

  std::vector<Page> pages_;
  BlockTable<std::size_t> by_number_;  ///< index into pages_
};

}  // namespace vgpu
