// Device memory: allocations far apart in a sparse 64-bit address space, so that no index, however wrong,
// reaches from one into another. Allocation n (from 0) spans addresses around kDeviceBase + (n << 36) + 2^35:
// up to 2^35 bytes to either side belong to nobody else. Addresses are never used twice; the memory behind
// them is. kDeviceBase makes them non-canonical on x86-64: a host program that dereferences one crashes.
//
// Pinned and managed memory of the host is in it too, at the host's own addresses, below kDeviceBase.
// Thread safety: as a standard container.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

namespace vgpu::exec {

inline constexpr std::uint64_t kDeviceBase = std::uint64_t{1} << 62U;
inline constexpr unsigned kAllocationShift = 36;
inline constexpr std::uint64_t kAllocationStart = std::uint64_t{1} << 35U;
inline constexpr std::uint32_t kMaxAllocations = 1U << 20U;
inline constexpr std::size_t kAllocationAlignment = 256;            // bytes, as cudaMalloc promises
inline constexpr std::uint64_t kHostEnd = std::uint64_t{1} << 47U;  // of programs, on x86-64 and AArch64
inline constexpr std::uint64_t kHostReach = std::uint64_t{1} << 20U;
inline constexpr std::byte kPoison{0xFF};  // a NaN as float, -1 as int

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
  heap,  ///< of the host: cudaMalloc
  variable,
  constant,
  device_heap,  ///< malloc in a kernel
  shared_host   ///< of the host, which uses it as well
};

struct Segment {
  std::uint64_t start = 0;
  std::size_t size = 0;  ///< bytes; kept when freed
  AlignedBytes data;     ///< nullptr when freed
  std::uint32_t ordinal = 0;
  Purpose purpose = Purpose::heap;
  std::vector<std::uint64_t> written{};  ///< a bit a word that somebody wrote to; empty: all count as written

  bool live() const { return data != nullptr; }
  std::uint64_t end() const { return start + size; }
};

class GlobalMemory {
 public:
  /// `track_writes`: remember which words of the heap have been written.
  explicit GlobalMemory(std::size_t limit_bytes, bool track_writes = false)
      : limit_bytes_(limit_bytes), track_writes_(track_writes) {}

  /// The address, or 0: no memory or no addresses left, or size 0. Contents are poisoned.
  std::uint64_t allocate(std::size_t size, Purpose purpose);
  bool free(std::uint64_t start);
  /// Memory that the host uses at `start` and that lies at `memory` in this process; it stays the caller's,
  /// who unmaps it before it goes. False: no aligned address of a host, or part of it is mapped already.
  bool map_host(std::uint64_t start, std::byte* memory, std::size_t size);
  bool unmap_host(std::uint64_t start);
  /// How often something was freed.
  std::uint64_t frees() const { return frees_; }
  /// What allocations of Purpose::device_heap may take together; those that are live stay. 8 MiB at first, as
  /// in CUDA.
  void set_device_heap_limit(std::size_t limit_bytes) { device_heap_limit_ = limit_bytes; }
  std::size_t device_heap_limit() const { return device_heap_limit_; }

  /// The segment around the address, live or freed, even if the address lies outside its bytes; nullptr if
  /// there was never one. Of the host's memory: if it is less than kHostReach away.
  const Segment* near(std::uint64_t address) const;
  /// The live segment that holds all of [address, address + size); nullptr if none.
  const Segment* holding(std::uint64_t address, std::size_t size) const;
  /// Host memory of a range that lies in one live segment; nullptr if it does not.
  std::byte* host(std::uint64_t address, std::size_t size) const;

  // Ranges in one live segment. A word counts as written once any of its bytes is.
  /// Other ranges are ignored: a checker's mistake must not spoil the memory of the device's process.
  void mark_written(std::uint64_t address, std::size_t size);
  bool is_written(std::uint64_t address, std::size_t size) const;
  void copy_written(std::uint64_t to, std::uint64_t from, std::size_t size);

  /// Those of the device.
  const std::vector<Segment>& segments() const { return segments_; }

 private:
  const Segment* near_host(std::uint64_t address) const;

  std::vector<Segment> segments_;
  std::map<std::uint64_t, Segment> host_segments_;  ///< by start; no two overlap
  std::size_t limit_bytes_;
  bool track_writes_;
  std::size_t used_bytes_ = 0;
  std::size_t device_heap_limit_ = std::size_t{8} << 20U;
  std::size_t device_heap_bytes_ = 0;
  std::uint64_t frees_ = 0;
  std::uint32_t heap_count_ = 0;
};

/// A small number for the segment that an address belongs to: 1 for the first allocation, …; 0 for all of the
/// host's memory together. It may be the number of no segment.
constexpr std::uint64_t segment_number(std::uint64_t address) {
  return address < kDeviceBase ? 0 : 1 + ((address - kDeviceBase) >> kAllocationShift);
}

}  // namespace vgpu::exec
