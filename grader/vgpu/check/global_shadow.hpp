// The shadow of the global memory that one block accesses, in pages that the next block reuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "vgpu/check/block_log.hpp"
#include "vgpu/check/known_load.hpp"
#include "vgpu/check/page_readers.hpp"
#include "vgpu/check/race_shadow.hpp"

namespace vgpu {

class GlobalShadow {
 public:
  static constexpr std::size_t kPageGranules = 1024;

  static constexpr std::size_t kLineGranules = kPageGranules / 64;  // a page has one bit per line

  /// The shadow of adjacent granules.
  struct Page {
    std::uint64_t number = 0;              ///< granule / kPageGranules
    std::uint64_t loaded = 0, stored = 0;  ///< one bit per 16 granules: some were accessed
    KnownGranules<kPageGranules> known;
    PageReaders<kPageGranules> readers;
    Shadow shadow{kPageGranules};
    ShadowSpan all = shadow.span();

    Page() = default;
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;
    /// kGroup lanes from `lane` on load adjacent granules. False without any effect if the keys must be
    /// changed.
    bool note_group(std::size_t first, const WarpLoad& load, unsigned lane) {
      if (first % kGroup != 0 || !readers.note(first / kGroup, load, lane)) return false;
      loaded |= std::uint64_t{1} << first / kLineGranules;
      return true;
    }
    /// The keys of `count` granules from `first` on.
    ShadowSpan keys(std::size_t first, unsigned count) {
      readers.split(first, count, all);
      return all.from(first);
    }
    /// Must be called before these keys change.
    void mark(std::size_t first, unsigned count, bool is_store) {
      std::uint64_t& lines = is_store ? stored : loaded;
      lines |= std::uint64_t{1} << first / kLineGranules;
      lines |= std::uint64_t{1} << (first + count - 1) / kLineGranules;
      known.forget();
    }
  };

  GlobalShadow();
  void begin_block();
  void clear();
  Page& page(std::uint64_t number) {
    const Slot& slot = slots_[first_slot(number)];
    return slot.block == block_ && slot.page->number == number ? *slot.page : search(number);
  }
  /// The shadow of `count` granules, all in one page, that are about to be accessed.
  ShadowSpan at(std::uint64_t granule, unsigned count, bool is_store);
  /// Appends the accesses from clock `since` on that are not logged yet.
  void log(BlockLog& log, BlockClocks::Clock since, std::uint32_t granule_bytes);

 private:
  /// A place of the hash table of pages: open addressing, so that mostly the first place is the page's, and
  /// with the block's number, so that a new block empties the table without touching it.
  struct Slot {
    std::uint64_t block = 0;  ///< the slot is empty if this is not the present block
    Page* page = nullptr;
  };

  std::size_t first_slot(std::uint64_t number) const {
    // Fibonacci hashing (Knuth, TAOCP 3, 6.4): neighbouring numbers and rows of a matrix spread evenly.
    return number * 0x9E3779B97F4A7C15U >> shift_;
  }
  Page& search(std::uint64_t number);
  void insert(Page& page);
  void grow();
  static void log(BlockLog& log, const Page& page, bool is_store, std::int32_t oldest,
                  std::uint32_t granule_bytes);

  std::vector<std::unique_ptr<Page>> pages_;  ///< the first `used_` of them in order of first access
  std::size_t used_ = 0;
  std::vector<Slot> slots_;  ///< 2^(64 - shift_), at least twice as many as pages
  unsigned shift_ = 0;
  std::uint64_t block_ = 0;  ///< counts calls of begin_block()
};

}  // namespace vgpu
