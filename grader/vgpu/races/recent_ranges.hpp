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

  /// Calls emit for all ranges that are kept, by address, and drops them. A range can be emitted in parts.
  template <class Emit>
  void flush(Emit emit) {
    std::sort(slots_.begin(), slots_.end(), [](const Page& a, const Page& b) { return a.number < b.number; });
    for (const Page& page : slots_) emit_page(page, emit);
    slots_.clear();
    evictions_ = 0;
  }

 private:
  static constexpr std::size_t kPageGranules = 1024;
  static constexpr std::size_t kFirstSlots = 16, kMaxSlots = 4096;  // powers of two; at most 0.5 MiB
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  struct Page {
    std::uint64_t number = kNone;  ///< granule / kPageGranules
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

  /// The page's slot. Another page gives way if it uses the same slot and the table is as large as permitted.
  template <class Emit>
  Page& page(std::uint64_t number, Emit emit) {
    if (slots_.empty()) slots_.resize(kFirstSlots);
    Page* slot = &slots_[number % slots_.size()];
    if (slot->number == number) return *slot;
    if (slot->number != kNone) {
      if (++evictions_ > slots_.size() / 4 && slots_.size() < kMaxSlots) {
        grow();
        slot = &slots_[number % slots_.size()];
      }
      emit_page(*slot, emit);
    }
    *slot = Page{.number = number};
    return *slot;
  }

  void grow() {
    std::vector<Page> larger(4 * slots_.size());
    // Pages with different slots still have different slots.
    for (const Page& page : slots_)
      if (page.number != kNone) larger[page.number % larger.size()] = page;
    slots_ = std::move(larger);
    evictions_ = 0;
  }

  template <class Emit>
  static void emit_page(const Page& page, Emit emit) {
    if (page.number == kNone) return;
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

  std::vector<Page> slots_;  ///< by number modulo the size; its size is 0 or a power of two
  std::size_t evictions_ = 0;
};

}  // namespace vgpu
