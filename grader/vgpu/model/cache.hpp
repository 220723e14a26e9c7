// A cache of 128-byte lines of four 32-byte sectors, as L1 and L2 of a GPU are: set-associative, least
// recently used line out first. Lines are named by address / 128; `sectors` are masks of 4 bits.
// Deterministic; knows nothing of time. Not thread safe. Covered by tests/model/cache_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vgpu {

inline constexpr std::uint64_t kCacheLineBytes = 128;
inline constexpr unsigned kAllSectors = 0xF;

class SectorCache {
 public:
  /// At least one line.
  explicit SectorCache(std::size_t bytes);

  /// Forgets everything, dirty sectors too.
  void clear();

  /// Which of `sectors` are there; afterwards all of them are.
  unsigned read(std::uint64_t line, unsigned sectors);
  /// The same; afterwards they are dirty.
  unsigned write(std::uint64_t line, unsigned sectors);
  /// Sectors of a line that is there are valid from now on; no line comes in (write-through, no allocation).
  void update(std::uint64_t line, unsigned sectors);

  /// Dirty sectors that had to leave since the last clear().
  std::uint64_t evicted_dirty_sectors() const { return evicted_dirty_sectors_; }

 private:
  struct Entry {
    std::uint64_t line = kNoLine;
    std::uint8_t valid = 0, dirty = 0;
  };
  static constexpr std::uint64_t kNoLine = UINT64_MAX;

  Entry* set_of(std::uint64_t line);
  /// The line's entry, most recently used now; nullptr if it is not there.
  Entry* find(std::uint64_t line);
  Entry& find_or_replace(std::uint64_t line);

  std::size_t ways_, sets_;
  std::vector<Entry> entries_;  ///< set by set, most recently used first
  std::uint64_t evicted_dirty_sectors_ = 0;
};

}  // namespace vgpu
