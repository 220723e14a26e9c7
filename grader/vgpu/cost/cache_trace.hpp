// The sectors that a block's accesses request from the caches of the device profile. Only profiles with
// caches use this trace.
//
// Each block has a share of an SM's L1, which is empty when the block begins: L1 divided by the number of
// resident blocks per SM. Warps run one after another here but concurrently on hardware. Their accesses are
// therefore recorded and replayed through L1 at the block's next barrier, one request per warp in turn.
// Requests that L1 passes on are kept for the caller, which sends them through L2 in block order, so the
// result does not depend on the number of CPU threads. L1 writes through and allocates lines on loads only,
// except for local memory, where it also allocates them on stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "vgpu/model/atomic_load.hpp"
#include "vgpu/model/cache.hpp"
#include "vgpu/state/access.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// One line that a request accesses.
class LineAccess {
 public:
  enum class Kind : std::uint8_t { load, uncached_load, store, local_store, atomic, fetch, surface_store };

  LineAccess(Kind kind, std::uint64_t line, unsigned sectors, bool ends_request = false)
      : packed_(line << 8U | static_cast<std::uint64_t>(kind) << 5U | (ends_request ? 1U << 4U : 0U) |
                sectors) {}
  Kind kind() const { return static_cast<Kind>(packed_ >> 5U & 7U); }
  std::uint64_t line() const { return packed_ >> 8U; }
  unsigned sectors() const { return packed_ & kAllSectors; }
  bool ends_request() const { return (packed_ >> 4U & 1U) != 0; }

 private:
  std::uint64_t packed_;
};

using AtomicLoads = std::unordered_map<std::uint64_t, AtomicLoad>;  ///< by line

/// L2 and DRAM of a launch. L2 is empty when the launch begins, as under a profiler, and writes back: lines
/// that are dirty at the end remain in L2 and do not count as DRAM traffic. Without L2, all accesses count as
/// DRAM traffic.
class MemorySide {
 public:
  explicit MemorySide(std::size_t l2_bytes);
  void serve(const std::vector<LineAccess>& accesses);
  void add(const AtomicLoads& atomics);
  CacheTraffic traffic() const;
  /// Writes to lines, without atomics.
  std::uint64_t stored_lines() const { return stored_lines_; }
  /// The load of the line with the most atomics, for each kind.
  AtomicLoad hottest_atomics() const;

 private:
  void read(LineAccess access);
  void write(LineAccess access);

  bool has_l2_;
  SectorCache l2_;
  std::uint64_t stored_lines_ = 0;
  AtomicLoads atomics_;
  CacheTraffic traffic_;
};

inline constexpr std::uint64_t kSectorsOfLine = kCacheLineBytes / kSectorBytes;

class CacheTrace {
 public:
  /// `l1_bytes` is the block's share of L1; 0: no L1.
  CacheTrace(std::size_t l1_bytes, std::size_t warps);

  /// Begins block number `index` of the grid.
  void begin(std::uint64_t index);
  void record(const Warp& warp, const Decoded& d, const std::array<std::uint64_t, kWarpLanes>& addresses,
              const AccessForm& form);
  /// Records a lookup of the texture unit, which needs the sectors with these numbers. It takes as long as
  /// add_l1_clocks() says, in lookups of lines.
  void record(const Warp& warp, LineAccess::Kind kind, std::span<const std::uint64_t> sectors,
              bool ends_request);
  void add_l1_clocks(std::uint64_t clocks) { lines_ += clocks; }
  /// Replays the recorded accesses through L1.
  void meet();

  /// Sets where blocks that run alone send requests that L1 passes on, once too many of them would be kept.
  /// Not owned; can be null.
  void pass_on_to(MemorySide* next_level) { next_level_ = next_level; }
  /// The requests that L1 passed on since begin() and that were kept, in order.
  std::vector<LineAccess> take_passed_on() { return std::exchange(passed_on_, {}); }
  /// Atomics on global memory since begin().
  AtomicLoads take_atomics() { return std::exchange(atomics_, {}); }
  /// True if more requests are kept than a block of a wave is allowed to keep.
  bool is_full() const { return passed_on_.size() >= kMaxPassedOn; }
  const CacheTraffic& traffic() const { return traffic_; }
  /// Lines looked up in L1 since begin(), by all kinds of accesses.
  std::uint64_t lines() const { return lines_; }
  /// Sectors that loads found in L1 on lines that were fetched in the same turn of the warps.
  std::uint64_t in_flight_sectors() const { return in_flight_sectors_; }

 private:
  static constexpr std::size_t kMaxPassedOn = std::size_t{1} << 18U;  // 2 MiB per block
  static constexpr std::size_t kMaxRecorded = std::size_t{1} << 22U;  // 32 MiB per worker

  class Lines;

  void keep(const Warp& warp, LineAccess::Kind kind, const Lines& lines, bool ends_request);
  void look_up(LineAccess access);
  unsigned read_l1(LineAccess access);
  void count_atomics(const Warp& warp, const Decoded& d,
                     const std::array<std::uint64_t, kWarpLanes>& addresses);

  bool has_l1_;
  SectorCache l1_;
  std::uint64_t local_start_ = 0;                 ///< line of the block's local memory
  std::vector<std::vector<LineAccess>> by_warp_;  ///< recorded since the last barrier
  std::size_t recorded_ = 0;
  std::vector<LineAccess> passed_on_;
  AtomicLoads atomics_;
  MemorySide* next_level_ = nullptr;
  std::uint64_t lines_ = 0;
  std::uint64_t in_flight_sectors_ = 0;
  std::unordered_set<std::uint64_t> coming_;  ///< lines requested in this turn of the warps
  CacheTraffic traffic_;                      ///< of L1
};

/// Records an access for the caches.
void trace_access(const Warp& warp, const Decoded& d, const Addresses& addresses, const AccessForm& form);

}  // namespace vgpu::exec
