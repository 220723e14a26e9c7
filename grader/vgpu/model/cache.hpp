// A cache of 128-byte lines of four 32-byte sectors, like L1 and L2 of a GPU: set-associative, replacing the
// least recently used line of a set. Lines are named by address / 128; `sectors` are masks of 4 bits.
// Deterministic; does not model time. Not thread safe. Covered by tests/model/cache_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vgpu {

inline constexpr std::uint64_t kCacheLineBytes = 128;
inline constexpr unsigned kAllSectors = 0xF;

class SectorCache {
 public:
  /// The cache has at least one line.
  explicit SectorCache(std::size_t bytes);

  /// Empties the cache, dirty sectors included, and resets evicted_dirty_sectors().
  void clear();

  /// Returns which of `sectors` are in the cache; afterwards all of them are.
  unsigned read(std::uint64_t line, unsigned sectors);
  /// Like read(); afterwards the sectors are dirty as well.
  unsigned write(std::uint64_t line, unsigned sectors);
  /// Makes the sectors valid if the line is in the cache; does not add the line (write-through, no
  /// allocation).
  void update(std::uint64_t line, unsigned sectors);

  /// Dirty sectors that were evicted since the last clear().
  std::uint64_t evicted_dirty_sectors() const { return evicted_dirty_sectors_; }

 private:
  struct Entry {
    std::uint64_t line = kNoLine;
    std::uint8_t valid = 0, dirty = 0;
  };
  static constexpr std::uint64_t kNoLine = UINT64_MAX;

  Entry* set_of(std::uint64_t line);
  /// The line's entry, moved to the front of its set as the most recently used one; nullptr if the line is
  /// absent.
  Entry* find(std::uint64_t line);
  /// The line's entry; if the line is absent, replaces the least recently used one of its set.
  Entry& find_or_replace(std::uint64_t line);

  std::size_t ways_, sets_;
  std::vector<Entry> entries_;  ///< set by set, most recently used first
  std::uint64_t evicted_dirty_sectors_ = 0;
};

}  // namespace vgpu
