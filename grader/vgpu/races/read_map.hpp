// The granules that blocks of a launch have read of memory to which the launch does not store: a bit per
// granule, in pages. Such reads need no order, thread or instruction. Covered by
// tests/vgpu/read_map_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace vgpu {

/// Granules are numbered, as in MarkedGranules.
class ReadMap {
 public:
  static constexpr unsigned kMostGranules = 64;

  /// Marks granules: at least one, at most kMostGranules.
  void mark(std::uint64_t first, unsigned count) {
    const std::size_t at = first % kPageGranules;
    if (at + count > kPageGranules) [[unlikely]] {
      const auto here = static_cast<unsigned>(kPageGranules - at);
      mark(first, here);
      return mark(first + here, count - here);
    }
    Page& page = this->page(first / kPageGranules);
    const std::uint64_t bits = ~std::uint64_t{0} >> (kWordGranules - count);
    const std::size_t word = at / kWordGranules, shift = at % kWordGranules;
    page[word] |= bits << shift;
    if (shift + count > kWordGranules) page[word + 1] |= bits >> (kWordGranules - shift);
  }

  /// Marks any number of granules.
  void mark_all(std::uint64_t first, std::uint64_t count) {
    for (; count > kMostGranules; first += kMostGranules, count -= kMostGranules) mark(first, kMostGranules);
    mark(first, static_cast<unsigned>(count));
  }

  /// Adds the marks of another map.
  void add(const ReadMap& other) {
    for (const auto& [number, marks] : other.pages_) {
      Page& page = this->page(number);
      for (std::size_t i = 0; i < page.size(); ++i) page[i] |= (*marks)[i];
    }
  }

  /// Calls visit(first, count) for the ranges of marked granules, by number, until it returns false. A range
  /// can be visited in parts.
  template <class Visit>
  void for_ranges(Visit visit) const {
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, marks] : pages_) numbers.push_back(number);
    std::sort(numbers.begin(), numbers.end());
    for (const std::uint64_t number : numbers) {
      const Page& page = *pages_.at(number);
      for (std::size_t word = 0; word < page.size();) {
        const std::size_t full = full_words(page, word);
        const std::uint64_t start = number * kPageGranules + word * kWordGranules;
        if (full != 0 ? !visit(start, full * kWordGranules) : !for_ranges_in(page[word], start, visit))
          return;
        word += std::max<std::size_t>(full, 1);
      }
    }
  }

 private:
  static constexpr std::size_t kWordGranules = kMostGranules, kPageGranules = 4096, kRecentPages = 256;
  using Page = std::array<std::uint64_t, kPageGranules / kWordGranules>;
  struct Recent {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };

  Page& page(std::uint64_t number) {
    Recent& recent = recent_[number % kRecentPages];
    if (recent.number == number) [[likely]]
      return *recent.page;
    return find_page(number, recent);
  }
  [[gnu::noinline]] Page& find_page(std::uint64_t number, Recent& recent) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    recent = {number, page.get()};
    return *page;
  }

  /// The number of words from this one on all of whose granules are marked.
  static std::size_t full_words(const Page& page, std::size_t word) {
    const auto first = page.begin() + static_cast<std::ptrdiff_t>(word);
    const auto is_full = [](std::uint64_t marks) { return marks == ~std::uint64_t{0}; };
    return static_cast<std::size_t>(std::find_if_not(first, page.end(), is_full) - first);
  }
  template <class Visit>
  static bool for_ranges_in(std::uint64_t marks, std::uint64_t start, Visit visit) {
    while (marks != 0) {
      const int first = std::countr_zero(marks), count = std::countr_one(marks >> first);
      if (!visit(start + static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count))) return false;
      if (first + count == kWordGranules) break;
      marks &= ~std::uint64_t{0} << (first + count);
    }
    return true;
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::array<Recent, kRecentPages> recent_{};
};

}  // namespace vgpu
