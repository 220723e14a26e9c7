// Which sectors a block's accesses ask of the caches of the device profile. Exists only on profiles with
// caches.
//
// Each block has its share of an SM's L1, empty when it begins: L1 divided by the blocks that an SM holds.
// Warps run one after another here but side by side on hardware, so their accesses are written down and go
// through L1 at the block's next barrier, a request of each warp in turn. What L1 passes on is kept for the
// caller, who sends it through L2 in block order. So nothing depends on the number of threads.
// L1 writes through and takes in lines on loads only, but for local memory, which it takes in on stores too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "vgpu/model/atomic_load.hpp"
#include "vgpu/model/cache.hpp"
#include "vgpu/state/access.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// One line that a request touches.
class LineAccess {
 public:
  enum class Kind : std::uint8_t { load, uncached_load, store, local_store, atomic };

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

/// L2 and DRAM of a launch: empty when it begins, as profilers have it. Writes back: what is dirty in the end
/// is still in L2 and not counted as DRAM traffic. Without L2 everything is.
class MemorySide {
 public:
  explicit MemorySide(std::size_t l2_bytes);
  void serve(const std::vector<LineAccess>& accesses);
  void add(const AtomicLoads& atomics);
  CacheTraffic traffic() const;
  /// Writes to lines, atomics apart.
  std::uint64_t stored_lines() const { return stored_lines_; }
  /// On the line with most, for each kind.
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

class CacheTrace {
 public:
  /// `l1_bytes` is the block's share, 0 for none.
  CacheTrace(std::size_t l1_bytes, std::size_t warps);

  /// Of block number `index` of the grid.
  void begin(std::uint64_t index);
  void record(const Warp& warp, const Decoded& d, const std::array<std::uint64_t, kWarpLanes>& addresses,
              const AccessForm& form);
  /// Sends what was recorded through L1.
  void meet();

  /// Where blocks that run alone send what L1 passes on when it gets too much to keep; not owned, may be
  /// null.
  void pass_on_to(MemorySide* behind) { behind_ = behind; }
  /// What L1 passed on since begin() and is kept, in order.
  std::vector<LineAccess> take_passed_on() { return std::exchange(passed_on_, {}); }
  /// Atomics on global memory since begin().
  AtomicLoads take_atomics() { return std::exchange(atomics_, {}); }
  /// More is kept than a block of a wave may keep.
  bool is_full() const { return passed_on_.size() >= kMaxPassedOn; }
  const CacheTraffic& traffic() const { return traffic_; }
  /// Looked up in L1 since begin(), by whatever access.
  std::uint64_t lines() const { return lines_; }
  /// Of the sectors that loads found in L1, those on lines that came in in the same turn of the warps.
  std::uint64_t in_flight_sectors() const { return in_flight_sectors_; }

 private:
  static constexpr std::size_t kMaxPassedOn = std::size_t{1} << 18U;  // 2 MiB a block
  static constexpr std::size_t kMaxRecorded = std::size_t{1} << 22U;  // 32 MiB a worker

  void look_up(LineAccess access);
  void count_atomics(const Warp& warp, const Decoded& d,
                     const std::array<std::uint64_t, kWarpLanes>& addresses);

  bool has_l1_;
  SectorCache l1_;
  std::uint64_t local_start_ = 0;                 ///< line of the block's local memory
  std::vector<std::vector<LineAccess>> by_warp_;  ///< recorded since the last barrier
  std::size_t recorded_ = 0;
  std::vector<LineAccess> passed_on_;
  AtomicLoads atomics_;
  MemorySide* behind_ = nullptr;
  std::uint64_t lines_ = 0;
  std::uint64_t in_flight_sectors_ = 0;
  std::unordered_set<std::uint64_t> coming_;  ///< lines, in this turn of the warps
  CacheTraffic traffic_;                      ///< of L1
};

/// Writes an access down for the caches.
void trace_access(const Warp& warp, const Decoded& d, const Addresses& addresses, const AccessForm& form);

}  // namespace vgpu::exec
