// The shadow of memory: for each granule (a word, or a byte in kernels that access bytes) the last writer and
// two readers since, with their clocks (block_clocks.hpp). Two accesses race when neither is ordered before
// the other, they come from two threads, one of them writes, and they are not both atomic. Two stores of the
// same bytes do not race: their order makes no difference. A store and a read race whatever bytes are stored.
//
// The two readers are of different warps if possible: a writer then always finds one that the synchronisation
// of its own warp cannot have ordered. Covered by tests/vgpu/shared_checks_test.cpp.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vgpu/races/block_clocks.hpp"
#include "vgpu/state/key_vector.hpp"

namespace vgpu {

/// The clock, flags and thread of an access to a granule, packed from the highest bits to the lowest, so that
/// keys compare like their clocks. Bit 31 stays 0, since clocks are below BlockClocks::kEnd.
class AccessKey {
 public:
  static constexpr unsigned kThreadBits = 10;
  static constexpr std::int32_t kThreadMask = (1 << kThreadBits) - 1;
  static constexpr unsigned kClockShift = 14;
  /// Read-modify-write, relaxed, acquire or release; a volatile store after a fence, which sets a flag.
  static constexpr std::int32_t kAtomic = 1 << 10;
  static constexpr std::int32_t kVolatile = 1 << 11;  ///< other volatile accesses
  static constexpr std::int32_t kChanged = 1 << 12;   ///< a write that changed the bytes
  /// Reads: all that the key represents are of threads that had stored the same bytes themselves.
  static constexpr std::int32_t kReadsBack = kChanged;
  /// Readers: the other reader is of another warp. Atomic writes: several threads wrote.
  static constexpr std::int32_t kMany = 1 << 13;
  /// Atomic writes, which are never volatile: threads of several warps wrote.
  static constexpr std::int32_t kManyWarps = kVolatile;

  AccessKey() = default;
  AccessKey(BlockClocks::Clock clock, unsigned thread, std::int32_t flags)
      : bits_(static_cast<std::int32_t>(clock << kClockShift | thread) | flags) {
    assert(clock < BlockClocks::kEnd);
  }
  explicit AccessKey(std::int32_t bits) : bits_(bits) {}

  std::int32_t bits() const { return bits_; }
  BlockClocks::Clock clock() const { return static_cast<BlockClocks::Clock>(bits_) >> kClockShift; }
  unsigned thread() const { return static_cast<unsigned>(bits_ & kThreadMask); }
  bool has(std::int32_t flag) const { return (bits_ & flag) != 0; }
  /// The lowest key of a clock: lower keys have earlier clocks.
  static std::int32_t first_of(BlockClocks::Clock clock) {
    assert(clock < BlockClocks::kEnd);
    return static_cast<std::int32_t>(clock << kClockShift);
  }

 private:
  std::int32_t bits_ = 0;  ///< 0: no access
};

/// Whether one of the accesses with these flags is atomic, and the other one at least volatile. Two volatile
/// accesses are a data race in CUDA C++: they order nothing, and even together they are no operation.
constexpr bool is_atomic_with_volatile(std::int32_t one, std::int32_t other) {
  constexpr std::int32_t kEither = AccessKey::kAtomic | AccessKey::kVolatile;
  return (one & kEither) != 0 && (other & kEither) != 0 && ((one | other) & AccessKey::kAtomic) != 0;
}

using SiteIndex = std::uint16_t;  ///< number of the accessing instruction (CheckedSites)

/// The shadow of adjacent granules.
struct ShadowSpan {
  std::int32_t *write, *read, *other_read;  ///< AccessKey::bits
  SiteIndex *write_site, *read_site, *other_read_site;

  ShadowSpan from(std::size_t granule) const {
    return {write + granule,      read + granule,      other_read + granule,
            write_site + granule, read_site + granule, other_read_site + granule};
  }
};

class Shadow {
 public:
  explicit Shadow(std::size_t granules) : keys_(3 * granules), sites_(3 * granules), granules_(granules) {}
  void clear() { std::fill(keys_.begin(), keys_.end(), 0); }
  ShadowSpan span() {
    return {keys_.data(),  keys_.data() + granules_,  keys_.data() + 2 * granules_,
            sites_.data(), sites_.data() + granules_, sites_.data() + 2 * granules_};
  }

 private:
  std::vector<std::int32_t> keys_;
  std::vector<SiteIndex> sites_;
  std::size_t granules_;
};

struct ThreadAccess {
  unsigned thread = 0;
  std::int32_t flags = 0;  ///< of AccessKey
  bool is_store = false;   ///< true for atomics as well
  SiteIndex site = 0;
  bool has_seen_atomics = false;  ///< BlockClocks::has_seen_atomics()
  bool reads_back = false;        ///< a load: the thread has stored the bytes itself (EqualStores)
};

/// The earlier access of a race; is_none() if there is no race.
struct Conflict {
  AccessKey earlier;
  SiteIndex site = 0;
  bool was_store = false;
  bool is_harmless = false;  ///< the order cannot change the value that is read

  bool is_none() const { return earlier.bits() == 0; }
};

/// Records an access to the first granule of `at` and returns the race, if any. `changes`: whether the store
/// changes the bytes.
Conflict note_load(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks);
Conflict note_store(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks,
                    bool changes);

inline constexpr unsigned kGroup = 8;  ///< granules whose accesses are noted together

/// The lanes that access the granules of a group: lane first + (i >> shift) accesses granule i.
struct GroupLanes {
  static constexpr unsigned kOneLane = 3;  ///< as shift: one lane accesses all granules

  unsigned first = 0;
  unsigned shift = 0;
};
static_assert(kGroup == 1U << GroupLanes::kOneLane);

/// By GroupLanes::shift and granule: what the granule's lane adds to the first lane, and to its key.
inline constexpr std::array<std::array<std::int32_t, kGroup>, GroupLanes::kOneLane + 1> kLaneSteps = [] {
  std::array<std::array<std::int32_t, kGroup>, GroupLanes::kOneLane + 1> steps{};
  for (unsigned shift = 0; shift < steps.size(); ++shift)
    for (unsigned i = 0; i < kGroup; ++i) steps[shift][i] = static_cast<std::int32_t>(i >> shift);
  return steps;
}();

/// Values that are the same for all lanes of a warp that load with one instruction.
struct WarpLoad {
  ThreadAccess first;             ///< lane 0's
  std::int32_t unsettled = 0;     ///< keys from this one on are possibly not ordered before the load
  std::int32_t oldest_write = 0;  ///< lower keys: the granule is unwritten
  std::int32_t key = 0;           ///< lane 0's
  bool has_one_floor = true;      ///< unsettled accesses of other warps are not ordered before the load

  /// The keys of the loads of granules from `granule` of a group on.
  KeyVector keys(const GroupLanes& lanes, unsigned granule) const {
    return keys_at(&kLaneSteps[lanes.shift][granule]) + (key + static_cast<std::int32_t>(lanes.first));
  }
};

inline WarpLoad warp_load(const ThreadAccess& first, const BlockClocks& clocks, bool needs_written) {
  const unsigned warp = first.thread / BlockClocks::kLanes;
  return {first, AccessKey::first_of(clocks.settled(warp) + 1),
          needs_written ? AccessKey::first_of(clocks.start()) : 0,
          AccessKey(clocks.now(warp), first.thread, first.flags).bits(), clocks.has_one_floor()};
}

/// Records a load that does not race.
void note_read(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks);
/// As note_read() for each lane of a group; `granules`: a bit for each granule that is loaded.
void note_group_read(const ShadowSpan& at, const WarpLoad& load, const GroupLanes& lanes,
                     const BlockClocks& clocks, unsigned granules);

/// Whether the write is that of atomics of several warps, all of which race with the same later accesses as a
/// further atomic operation of the warp: it adds nothing.
inline bool represents_atomic(AccessKey write, unsigned warp, std::int32_t unsettled,
                              const BlockClocks& clocks) {
  constexpr std::int32_t kOfSeveralWarps = AccessKey::kAtomic | AccessKey::kMany | AccessKey::kManyWarps;
  return write.bits() >= unsettled && (write.bits() & kOfSeveralWarps) == kOfSeveralWarps &&
         write.thread() / BlockClocks::kLanes != warp && clocks.has_one_floor();
}

/// Records stores to kGroup adjacent granules; `access` is the first granule's, `shift` GroupLanes::shift,
/// `changed` has a bit for each granule that changes. Returns false without any effect if a lane might race.
bool note_group_store(const ShadowSpan& at, const ThreadAccess& access, unsigned shift,
                      const BlockClocks& clocks, unsigned changed);

/// The same for loads, also of words that lanes of the warp accessed before they met. As note_load() for each
/// lane in turn, if no other thread has stored the bytes (EqualStores).
bool note_ordered_group_load(const ShadowSpan& at, const WarpLoad& load, const GroupLanes& lanes,
                             const BlockClocks& clocks);

/// The same for a plain store of one lane.
bool note_quiet_store(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks,
                      bool changes);

/// The same for an atomic operation of one lane on `granules` granules that were all accessed in one way.
bool note_quiet_atomic(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks,
                       unsigned granules = 1);

/// The same for granules with equal keys of writers whose readers are settled.
bool note_next_atomic(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks,
                      unsigned granules);

/// The same for a plain load of one lane.
bool note_quiet_load(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks);

/// True if the block has not written the granule.
inline bool is_unwritten(const ShadowSpan& at, const BlockClocks& clocks) {
  return *at.write < AccessKey::first_of(clocks.start());
}

}  // namespace vgpu
