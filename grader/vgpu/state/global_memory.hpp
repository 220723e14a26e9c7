// Device memory: allocations far apart in a sparse 64-bit address space, so that a wrong index does not reach
// another allocation. Allocation n (from 0) starts at kDeviceBase + (n << 36) + 2^35; the 2^35 bytes before
// and after that address are reserved for it. Addresses are never reused; the host memory is. kDeviceBase
// makes them non-canonical on x86-64: a host program that dereferences one crashes.
//
// Pinned and managed host memory is mapped at the host's own addresses, below kDeviceBase.
// Thread safety: like a standard container.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "vgpu/facts/store_lines.hpp"
#include "vgpu/state/written_bytes.hpp"

namespace vgpu::exec {

inline constexpr std::uint64_t kDeviceBase = std::uint64_t{1} << 62U;
inline constexpr unsigned kAllocationShift = 36;
inline constexpr std::uint64_t kAllocationStart = std::uint64_t{1} << 35U;
inline constexpr std::uint32_t kMaxAllocations = 1U << 20U;
inline constexpr std::size_t kAllocationAlignment = 256;            // bytes; cudaMalloc guarantees it
inline constexpr std::uint64_t kHostEnd = std::uint64_t{1} << 47U;  // end of user space on x86-64 and AArch64
inline constexpr std::uint64_t kHostReach = std::uint64_t{1} << 20U;

// Generic addresses of the other spaces: window + offset.
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 60U;
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{1} << 59U;
inline constexpr std::uint64_t kParameterWindow = std::uint64_t{1} << 58U;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32U;

struct Free {
  bool owned = true;
  void operator()(std::byte* memory) const {
    if (owned) std::free(memory);
  }
};
using AlignedBytes = std::unique_ptr<std::byte[], Free>;

/// nullptr if the host has no memory left.
AlignedBytes aligned_bytes(std::size_t size);

enum class Purpose : std::uint8_t {
  heap,  ///< allocated by the host: cudaMalloc
  variable,
  constant,
  device_heap,  ///< malloc in a kernel
  shared_host   ///< host memory that the host accesses as well
};

/// Memory that has no values when it is allocated.
constexpr bool is_heap(Purpose purpose) {
  return purpose == Purpose::heap || purpose == Purpose::device_heap;
}

struct Segment {
  std::uint64_t start = 0;
  std::size_t size = 0;  ///< bytes; kept when freed
  AlignedBytes data;     ///< nullptr when freed
  std::uint32_t ordinal = 0;
  Purpose purpose = Purpose::heap;
  WrittenBytes written{};
  std::vector<StoreLine> stored_by{};  ///< by word: the line that stored it last; empty: none did

  bool live() const { return data != nullptr; }
  std::uint64_t end() const { return start + size; }
};

class GlobalMemory {
 public:
  /// `track_writes`: record which bytes of the heap have been written.
  explicit GlobalMemory(std::size_t limit_bytes, bool track_writes = false)
      : limit_bytes_(limit_bytes), track_writes_(track_writes) {}

  /// Returns the address, or 0 if memory or addresses are exhausted or the size is 0. Contents are
  /// kUnwrittenWords.
  std::uint64_t allocate(std::size_t size, Purpose purpose);
  bool free(std::uint64_t start);
  /// Maps host memory: the host uses it at `start`, this process at `memory`. The caller keeps ownership and
  /// must unmap it before freeing it. False: `start` is not an aligned host address, or part is already
  /// mapped.
  bool map_host(std::uint64_t start, std::byte* memory, std::size_t size);
  bool unmap_host(std::uint64_t start);
  /// Number of allocations freed or unmapped so far.
  std::uint64_t frees() const { return frees_; }
  /// Limits the total size of allocations of Purpose::device_heap; live ones stay. Initially 8 MiB, as in
  /// CUDA.
  void set_device_heap_limit(std::size_t limit_bytes) { device_heap_limit_ = limit_bytes; }
  std::size_t device_heap_limit() const { return device_heap_limit_; }

  /// The segment around the address, live or freed, even if the address is outside its bytes; nullptr if no
  /// segment was ever there. Host memory is found from less than kHostReach away.
  const Segment* near(std::uint64_t address) const;
  /// The live segment that holds all of [address, address + size); nullptr if none.
  const Segment* holding(std::uint64_t address, std::size_t size) const;
  /// Pointer to a range that is inside one live segment; nullptr if it is not.
  std::byte* host(std::uint64_t address, std::size_t size) const;

  // For ranges in one live segment.
  /// Ignores other ranges: an error in a checker must not corrupt the memory of the device's process.
  void mark_written(std::uint64_t address, std::size_t size);
  /// The bytes have a value that means nothing, although a kernel has stored it. Ignores other ranges.
  void mark_unwritten(std::uint64_t address, std::size_t size);
  bool is_written(std::uint64_t address, std::size_t size) const;
  /// The bytes that are not written, one bit per byte; at most WrittenBytes::kMaskBytes.
  std::uint32_t unwritten_bytes(std::uint64_t address, std::size_t size) const;
  /// Whether all bytes of the segment with this number (segment_number()) are written or count as written.
  bool is_all_written(std::uint64_t number) const {
    return number == 0 || (number <= segments_.size() && segments_[number - 1].written.are_all());
  }
  /// The addresses of WrittenBytes::gaps().
  struct Gaps {
    std::uint64_t first = 0;
    std::size_t bytes = 0;
  };
  Gaps unwritten_gaps(std::uint64_t address, std::size_t size) const;
  void copy_written(std::uint64_t to, std::uint64_t from, std::size_t size);
  /// Records the line that stored the words of the range; 0: the host wrote them. Ignores ranges that are not
  /// in one live segment, and segments above 64 MiB, for which the record would take too much memory.
  void mark_stored(std::uint64_t address, std::size_t size, StoreLine by);
  /// As mark_stored(), if the segment has a record already, otherwise false without any effect. Different
  /// threads can do so for different words.
  bool mark_stored_again(std::uint64_t address, std::size_t size, StoreLine by);
  void copy_stored(std::uint64_t to, std::uint64_t from, std::size_t size);
  /// The lines that stored the words of the range last.
  std::vector<StoreLine> stored_by(std::uint64_t address, std::size_t size) const;
  /// The table of the lines' numbers.
  StoreLines& store_lines() { return store_lines_; }
  const StoreLines& store_lines() const { return store_lines_; }

  /// The segments of device memory, without host memory.
  const std::vector<Segment>& segments() const { return segments_; }

 private:
  const Segment* near_host(std::uint64_t address) const;
  const Segment* traced(std::uint64_t address, std::size_t size) const;
  Segment& writable(const Segment& segment);

  std::vector<Segment> segments_;
  std::map<std::uint64_t, Segment> host_segments_;  ///< by start; no two overlap
  StoreLines store_lines_;
  std::size_t limit_bytes_;
  bool track_writes_;
  std::size_t used_bytes_ = 0;
  std::size_t device_heap_limit_ = std::size_t{8} << 20U;
  std::size_t device_heap_bytes_ = 0;
  std::uint64_t frees_ = 0;
  std::uint32_t heap_count_ = 0;
};

/// The number of the segment that an address belongs to: 1 for the first allocation, …; 0 for all host
/// memory. A segment with that number need not exist.
constexpr std::uint64_t segment_number(std::uint64_t address) {
  return address < kDeviceBase ? 0 : 1 + ((address - kDeviceBase) >> kAllocationShift);
}

}  // namespace vgpu::exec
