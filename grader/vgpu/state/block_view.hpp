// The writes of one block to global memory while memory itself is read-only for all blocks (grid.hpp): a
// private copy-on-write overlay, and reductions whose results were not read. One thread at a time.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "vgpu/state/block_table.hpp"
#include "vgpu/state/global_memory.hpp"
#include "vgpu/state/memory_part.hpp"

namespace vgpu::exec {

/// Combines a value into the 4 or 8 bytes at `memory`.
using Combine = void (*)(std::byte* memory, std::uint64_t value);

class BlockView {
 public:
  /// `max_bytes`: bytes that the view may hold; a block that needs more has to run alone.
  explicit BlockView(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  bool empty() const { return used_ == 0 && reductions_.empty(); }
  /// False if the block has not written to the segment.
  bool touches(std::uint32_t segment) const {
    return !empty() && segment < touched_.size() && touched_[segment];
  }
  bool full() const { return used_ * sizeof(Page) + reductions_.size() * 64 > max_bytes_; }
  bool has_reductions() const { return !reductions_.empty(); }
  /// Whether the view holds a reduction for part of the range: its value is unknown until all earlier blocks
  /// have committed.
  bool reduces(std::uint64_t address, std::size_t size) const {
    return has_reductions() && has_reduction(address, size);
  }

  void store(std::uint64_t address, const std::byte* bytes, std::size_t size);
  /// Copies the block's own view of a range to `to`; `memory` points to the range in host memory.
  void load(std::uint64_t address, const std::byte* memory, std::byte* to, std::size_t size) const;
  /// As load(), by several threads at a time, none of which uses the view in another way.
  void load_apart(std::uint64_t address, const std::byte* memory, std::byte* to, std::size_t size) const;
  /// Combines `value` with the pending reduction at the address, a multiple of `size` (4 or 8). False if the
  /// block already stored there or reduced with another operation.
  bool reduce(std::uint64_t address, Combine combine, std::uint64_t value, std::size_t size);

  /// Writes the view's contents to the part of memory. Its pages have at least kPageBytes bytes.
  void commit(const GlobalMemory& memory, const MemoryPart& part = {}) const;
  /// Adds the parts of memory, such as `one`, to which commit() writes.
  void add_parts(PartSet& parts, const MemoryPart& one) const;
  /// For the processor's caches, in this order, some time before another thread calls commit().
  void prefetch() const {
    constexpr std::size_t kLine = 64;
    for (std::size_t at = 0; at < sizeof *this; at += kLine)
      __builtin_prefetch(reinterpret_cast<const std::byte*>(this) + at);
  }
  void prefetch_lists() const {
    __builtin_prefetch(pages_.data());
    by_number_.prefetch();
  }
  void prefetch_page() const {
    if (used_ != 0) __builtin_prefetch(pages_.front());
  }
  /// Empties the view, but keeps its pages for the next block.
  void clear();

 private:
  static constexpr std::size_t kPageBytes = 256;  // small, since a stored column has one element in each
  struct Page {
    std::uint64_t number;                              ///< address / kPageBytes
    std::array<std::uint64_t, kPageBytes / 64> dirty;  ///< one bit per byte
    std::array<std::byte, kPageBytes> bytes;
  };
  struct Reduction {
    std::uint64_t address;
    std::uint64_t value;
    Combine combine;
    std::size_t size;
  };

  bool has_reduction(std::uint64_t address, std::size_t size) const;
  Page& page(std::uint64_t number);
  Page& unused_page();
  const Page* find(std::uint64_t number) const;
  template <class FindPage>
  static void load(std::uint64_t address, const std::byte* memory, std::byte* to, std::size_t size,
                   FindPage find_page);
  void mark(std::uint64_t address);

  std::size_t max_bytes_;
  std::vector<std::unique_ptr<Page[]>> slabs_;
  std::vector<Page*> pages_;  ///< of all slabs; the first `used_` in order of first write
  std::size_t used_ = 0;
  BlockTable<Page*> by_number_;
  mutable Page* last_ = nullptr;  ///< most accesses hit the same page as the previous one
  std::vector<Reduction> reductions_;
  BlockTable<std::size_t> by_address_;  ///< indices into reductions_
  std::vector<bool> touched_;
};

}  // namespace vgpu::exec
