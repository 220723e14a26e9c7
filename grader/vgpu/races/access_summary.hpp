// The ranges of memory that a launch read and wrote, from the logs of its blocks: input of the check that
// orders launches of different streams. Covered by tests/vgpu/access_summary_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vgpu/races/block_log.hpp"
#include "vgpu/races/recent_ranges.hpp"

namespace vgpu {

struct MemoryAccess {
  std::uint64_t start = 0, size_bytes = 0;
  bool is_write = false, is_atomic = false;

  std::uint64_t end() const { return start + size_bytes; }
  friend bool operator==(const MemoryAccess&, const MemoryAccess&) = default;
};

class AccessSummary {
 public:
  /// The maximum number of ranges that are kept per launch; a launch with more has no summary.
  static constexpr std::size_t kMaxRanges = 8192;

  void add(const BlockLog& log, std::uint32_t granule_bytes);
  void add_read(std::uint64_t start, std::uint64_t size_bytes) {
    if (!is_too_scattered_) add({start, size_bytes, false, false});
  }
  /// The ranges by kind of access, then by address; within a kind they neither overlap nor touch. Empty: too
  /// many ranges.
  std::vector<MemoryAccess> take();

 private:
  /// The ranges of one kind of access: the most recent ones as marked granules, the others as a list.
  struct Ranges {
    RecentRanges recent;
    std::vector<MemoryAccess> sorted;  ///< by address, without overlaps; neighbours can touch
    std::vector<MemoryAccess> loose;   ///< those that were added since and extend none
    std::size_t latest = 0;            ///< index into `sorted`: where the last range belonged

    /// The index of the last sorted range that starts at or before the address; its size if there is none.
    std::size_t find(std::uint64_t address) const;
    /// True if the range is now part of a sorted one.
    bool extend(const MemoryAccess& access);
    void merge();
  };

  /// The index has a bit for writes and one for atomics.
  static std::size_t kind(bool is_write, bool is_atomic) { return (is_write ? 2 : 0) + (is_atomic ? 1 : 0); }
  void add(MemoryAccess access);
  /// As add(), of a range that extends no sorted one.
  void append(Ranges& ranges, const MemoryAccess& access);
  void add(const AccessRun& run, bool is_write, bool is_atomic);

  std::uint32_t granule_bytes_ = 1;  ///< the same for all blocks of a launch
  Ranges kinds_[4];                  ///< read, atomic read, write, atomic write
  bool is_too_scattered_ = false;
};

}  // namespace vgpu
