#include "vgpu/state/block_view.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <span>

namespace vgpu::exec {
namespace {

/// Bits [first, first + count) of a word, count at least 1.
std::uint64_t bit_range(std::size_t first, std::size_t count) {
  assert(count >= 1 && first + count <= 64);  // a shift by 64 is undefined
  return (~std::uint64_t{0} >> (64 - count)) << first;
}

/// Calls visit(offset, bit mask) for each 64-byte piece of bytes [offset, offset + size) of a page.
template <class Visit>
void for_dirty_words(std::size_t offset, std::size_t size, Visit visit) {
  while (size > 0) {
    const std::size_t bit = offset % 64;
    const std::size_t count = std::min(size, 64 - bit);
    visit(offset, bit_range(bit, count));
    offset += count;
    size -= count;
  }
}

/// Most copies are of one word: without a call.
void copy(std::byte* to, const std::byte* from, std::size_t size) {
  constexpr std::size_t kWord = 4;
  if (size == kWord)
    std::memcpy(to, from, kWord);
  else
    std::memcpy(to, from, size);
}

/// Copies the bytes whose bits are set, at most 64. Mostly, these are all: a few wide moves.
void copy_bytes(std::uint64_t bits, const std::byte* from, std::byte* to) {
  if (bits == ~std::uint64_t{0}) {
    std::memcpy(to, from, 64);
    return;
  }
  while (bits != 0) {
    const auto first = static_cast<std::size_t>(std::countr_zero(bits));
    const auto count = static_cast<std::size_t>(std::countr_one(bits >> first));
    copy(to + first, from + first, count);
    bits &= ~bit_range(first, count);
  }
}

}  // namespace

bool BlockView::has_reduction(std::uint64_t address, std::size_t size) const {
  // Reductions are stored at multiples of their size, 4 or 8: none starts earlier than the 8-byte boundary.
  for (std::uint64_t at = address & ~std::uint64_t{7}; at < address + size; at += 4) {
    const std::size_t* found = by_address_.find(at);
    if (found != nullptr && at + reductions_[*found].size > address) return true;
  }
  return false;
}

void BlockView::store(std::uint64_t address, const std::byte* bytes, std::size_t size) {
  while (size > 0) {
    Page& to = page(address / kPageBytes);
    const std::size_t offset = address % kPageBytes;
    const std::size_t count = std::min(size, kPageBytes - offset);
    copy(to.bytes.data() + offset, bytes, count);
    for_dirty_words(offset, count, [&](std::size_t at, std::uint64_t bits) { to.dirty[at / 64] |= bits; });
    address += count;
    bytes += count;
    size -= count;
  }
}

void BlockView::load(std::uint64_t address, const std::byte* memory, std::byte* to, std::size_t size) const {
  load(address, memory, to, size, [this](std::uint64_t number) { return find(number); });
}

void BlockView::load_apart(std::uint64_t address, const std::byte* memory, std::byte* to,
                           std::size_t size) const {
  // Without `last_`, which the threads would change.
  load(address, memory, to, size, [this](std::uint64_t number) -> const Page* {
    Page* const* found = by_number_.find(number);
    return found == nullptr ? nullptr : *found;
  });
}

template <class FindPage>
void BlockView::load(std::uint64_t address, const std::byte* memory, std::byte* to, std::size_t size,
                     FindPage find_page) {
  // The block's own stores replace bytes of the memory.
  copy(to, memory, size);
  while (size > 0) {
    const std::size_t start = address % kPageBytes;
    const std::size_t in_page = std::min(size, kPageBytes - start);
    const Page* page = find_page(address / kPageBytes);
    if (page != nullptr)
      for_dirty_words(start, in_page, [&](std::size_t at, std::uint64_t bits) {
        const std::uint64_t dirty = page->dirty[at / 64] & bits;
        copy_bytes(dirty >> (at % 64), page->bytes.data() + at, to + (at - start));
      });
    address += in_page;
    to += in_page;
    size -= in_page;
  }
}

bool BlockView::reduce(std::uint64_t address, Combine combine, std::uint64_t value, std::size_t size) {
  assert((size == 4 || size == 8) && address % size == 0);  // reduces() and bit_range() rely on it
  if (const std::size_t* found = by_address_.find(address)) {
    Reduction& held = reductions_[*found];
    // Two different operations at one address do not commute.
    if (held.combine != combine || held.size != size) return false;
    combine(reinterpret_cast<std::byte*>(&held.value), value);
    return true;
  }
  if (const Page* written = find(address / kPageBytes)) {
    const std::size_t offset = address % kPageBytes;
    // The block's own store precedes the reduction; applying the reduction to memory later would lose it.
    if ((written->dirty[offset / 64] & bit_range(offset % 64, size)) != 0) return false;
  }
  mark(address);
  by_address_.add(address, reductions_.size());
  reductions_.push_back({address, value, combine, size});
  return true;
}

void BlockView::commit(const GlobalMemory& memory, const MemoryPart& part) const {
  for (const Page* page : std::span(pages_).first(used_)) {
    const std::uint64_t first = page->number * kPageBytes;
    if (!part.has(first)) continue;
    // Every dirty byte was checked when it was stored, and kernels that free memory run without views: the
    // segment is live. Segments start at multiples of 256, so that one of them holds all dirty bytes here.
    const Segment* segment = memory.near(first);
    assert(segment != nullptr && segment->live() && first >= segment->start);
    std::byte* host = segment->data.get() + (first - segment->start);
    for (std::size_t word = 0; word < page->dirty.size(); ++word)
      copy_bytes(page->dirty[word], page->bytes.data() + word * 64, host + word * 64);
  }
  // Stores and reductions of a block are to different bytes, so that their order makes no difference.
  for (const Reduction& reduction : reductions_) {
    if (part.has(reduction.address))
      reduction.combine(memory.host(reduction.address, reduction.size), reduction.value);
  }
}

void BlockView::add_parts(PartSet& parts, const MemoryPart& one) const {
  for (const Page* page : std::span(pages_).first(used_)) parts.add(one, page->number * kPageBytes, 1);
  for (const Reduction& reduction : reductions_) parts.add(one, reduction.address, 1);
}

void BlockView::clear() {
  used_ = 0;
  by_number_.clear();
  last_ = nullptr;
  reductions_.clear();
  by_address_.clear();
  touched_.clear();
}

BlockView::Page& BlockView::page(std::uint64_t number) {
  if (find(number) != nullptr) return *last_;
  Page& page = unused_page();
  page.number = number;
  page.dirty.fill(0);
  mark(number * kPageBytes);
  by_number_.add(number, &page);
  last_ = &page;
  return page;
}

BlockView::Page& BlockView::unused_page() {
  if (used_ == pages_.size()) {
    // Blocks that store rows of a tile need dozens of pages, others need few.
    constexpr std::size_t kFirstSlab = 4, kMaxSlab = 16;
    const std::size_t count = std::clamp(pages_.size(), kFirstSlab, kMaxSlab);
    // The contents need no initial value: only bytes marked as dirty are read.
    slabs_.push_back(std::make_unique_for_overwrite<Page[]>(count));
    for (std::size_t i = 0; i < count; ++i) pages_.push_back(&slabs_.back()[i]);
  }
  return *pages_[used_++];
}

const BlockView::Page* BlockView::find(std::uint64_t number) const {
  if (last_ != nullptr && last_->number == number) return last_;
  Page* const* found = by_number_.find(number);
  if (found == nullptr) return nullptr;
  last_ = *found;
  return last_;
}

void BlockView::mark(std::uint64_t address) {
  const std::uint64_t segment = segment_number(address);
  if (segment >= touched_.size()) touched_.resize(segment + 1);
  touched_[segment] = true;
}

}  // namespace vgpu::exec
