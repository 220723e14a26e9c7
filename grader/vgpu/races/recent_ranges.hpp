// Collects ranges of memory by marking their granules in pages, since the blocks of a launch mostly access
// pages that an earlier block accessed: marking a granule again costs less than searching a list of ranges.
// Covered by tests/vgpu/access_summary_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "vgpu/races/block_log.hpp"
#include "vgpu/state/block_table.hpp"

namespace vgpu {

/// Granules are numbered; a range is [first, first + count).
class RecentRanges {
 public:
  /// Adds a range. Calls emit(first, count) for ranges that were added earlier and are no longer kept here.
  template <class Emit>
  void add(std::uint64_t first, std::uint64_t count, Emit emit) {
    while (count > 0) {
      const std::size_t at = first % kPageGranules;
      const std::size_t here = std::min<std::uint64_t>(count, kPageGranules - at);
      mark(page(first / kPageGranules, emit), at, here);
      first += here;
      count -= here;
    }
  }

  /// As add(), for elements with gaps between them, all in one page; `count`: their granules.
  template <class Emit>
  void add_spaced(std::uint64_t first, const Spacing& spacing, std::uint32_t count, Emit emit) {
    Page& page = this->page(first / kPageGranules, emit);
    for (std::uint32_t i = 0; i < count; i += spacing.element())
      mark(page, first % kPageGranules + spacing.place_of(i), spacing.element());
  }

  /// Whether certainly more than `limit` ranges are kept.
  bool has_more_than(std::size_t limit) const {
    std::size_t count = 0;
    for (const Page& page : pages_) {
      std::uint64_t before = ~std::uint64_t{0};  // a range that begins with the page can continue another one
      for (const std::uint64_t marks : page.marks) {
        for (std::uint64_t starts = marks & ~(marks << 1U | before >> 63U); starts != 0; starts &= starts - 1)
          if (++count > limit) return true;
        before = marks;
      }
    }
    return false;
  }

  /// Calls emit for all ranges that are kept, by address, and drops them. A range can be emitted in parts.
  template <class Emit>
  void flush(Emit emit) {
    const auto is_earlier = [](const Page& a, const Page& b) { return a.number < b.number; };
    if (!std::is_sorted(pages_.begin(), pages_.end(), is_earlier))
      std::sort(pages_.begin(), pages_.end(), is_earlier);
    for (const Page& page : pages_) emit_page(page, emit);
    pages_.clear();
    by_number_.clear();
  }

 private:
  static constexpr std::size_t kPageGranules = 1024;
  static constexpr std::size_t kMaxPages = 4096;  // at most 0.6 MiB

  struct Page {
    std::uint64_t number = 0;  ///< granule / kPageGranules
    std::array<std::uint64_t, kPageGranules / 64> marks{};
  };

  static void mark(Page& page, std::size_t at, std::size_t count) {
    while (count > 0) {
      const std::size_t bits = std::min(count, 64 - at % 64);
      page.marks[at / 64] |= (~std::uint64_t{0} >> (64 - bits)) << at % 64;
      at += bits;
      count -= bits;
    }
  }

  template <class Emit>
  Page& page(std::uint64_t number, Emit emit) {
    if (const std::size_t* known = by_number_.find(number)) return pages_[*known];
    if (pages_.size() == kMaxPages) flush(emit);
    by_number_.add(number, pages_.size());
    return pages_.emplace_back(Page{.number = number});
  }

  template <class Emit>
  static void emit_page(const Page& page, Emit emit) {
    for (std::size_t at = next(page, 0, true); at < kPageGranules;) {
      const std::size_t end = next(page, at, false);
      emit(page.number * kPageGranules + at, end - at);
      at = next(page, end, true);
    }
  }

  /// The first granule from `at` on that is marked, or that is not marked; kPageGranules if there is none.
  static std::size_t next(const Page& page, std::size_t at, bool is_marked) {
    while (at < kPageGranules) {
      const std::uint64_t marks = is_marked ? page.marks[at / 64] : ~page.marks[at / 64];
      const std::uint64_t rest = marks >> at % 64;
      if (rest != 0) return at + static_cast<std::size_t>(std::countr_zero(rest));
      at += 64 - at % 64;
    }
    return at;
  }

  std::vector<Page> pages_;
  BlockTable<std::size_t> by_number_;  ///< index into pages_
};

}  // namespace vgpu
