// The ranges of memory that a launch read and wrote, from the logs of its blocks: input of the check that
// orders launches of different streams. Covered by tests/vgpu/access_summary_test.cpp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vgpu/races/block_log.hpp"
#include "vgpu/races/marked_granules.hpp"
#include "vgpu/races/read_map.hpp"
#include "vgpu/state/memory_part.hpp"

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

  /// `parts`: of memory, with pages of MarkedGranules::kPageGranules.
  explicit AccessSummary(std::uint32_t granule_bytes, std::size_t parts = 1)
      : granule_shift_(static_cast<unsigned>(std::countr_zero(granule_bytes))), parts_(parts) {}

  /// Adds the runs' granules in a part of memory. Different threads can add different parts.
  void add(const MemoryPart& part, const BlockLog& log);
  /// Adds granules of memory to which the launch does not store.
  void add_reads(const ReadMap& reads);
  /// Adds memory that no kernel can write.
  void add_read(std::uint64_t start, std::uint64_t size_bytes);
  /// The ranges by kind of access, then by address; within a kind they neither overlap nor touch. Empty: too
  /// many ranges.
  std::vector<MemoryAccess> take();

 private:
  using Ranges = std::vector<MemoryAccess>;
  /// By kind of access: the index has a bit for writes and one for atomics.
  using Marks = std::array<MarkedGranules, 4>;

  static std::size_t kind(bool is_write, bool is_atomic) { return (is_write ? 2 : 0) + (is_atomic ? 1 : 0); }
  void mark(const MemoryPart& part, MarkedGranules& marks, const AccessRun& run) const;
  bool append_marked(Ranges& ranges, bool is_write, bool is_atomic) const;

  unsigned granule_shift_;  ///< a granule has 2^granule_shift_ bytes
  std::vector<Marks> parts_;
  Ranges reads_;                          ///< of add_read() and add_reads()
  std::size_t joined_reads_ = 0;          ///< how many were left when they were last joined
  bool are_reads_too_scattered_ = false;  ///< and no longer kept
};

}  // namespace vgpu
