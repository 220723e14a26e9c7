// What a block remembers of each granule of memory (a word, or a byte in kernels that access bytes): who
// wrote it last and two of those who read it since, with clocks (block_clocks.hpp). Two accesses race when
// neither is ordered before the other, they come from two threads, one of them writes, and they are not both
// atomic. Two stores of the same bytes do not race: no order of the two shows. A store and a read do,
// whatever the bytes are today.
//
// Both readers are kept of two warps if there are two: then a writer always finds one that its own warp's
// synchronisation cannot have ordered. Covered by tests/vgpu/shared_checks_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vgpu/check/block_clocks.hpp"

namespace vgpu {

/// When, by whom and how a granule was accessed, in an order that follows the clock: clock, flags, thread.
class AccessKey {
 public:
  static constexpr unsigned kThreadBits = 10;
  static constexpr unsigned kClockShift = 14;
  static constexpr std::int32_t kAtomic = 1 << 10;  ///< read-modify-write, relaxed, acquire or release
  static constexpr std::int32_t kVolatile = 1 << 11;
  static constexpr std::int32_t kChanged = 1 << 12;  ///< a write that left other bytes behind
  /// Readers: the other one is of another warp. Atomic writes: there were several threads.
  static constexpr std::int32_t kMany = 1 << 13;
  /// Atomic writes, which are never volatile: the threads were of several warps.
  static constexpr std::int32_t kManyWarps = kVolatile;

  AccessKey() = default;
  AccessKey(BlockClocks::Clock clock, unsigned thread, std::int32_t flags)
      : bits_(static_cast<std::int32_t>(clock << kClockShift | thread) | flags) {}
  explicit AccessKey(std::int32_t bits) : bits_(bits) {}

  std::int32_t bits() const { return bits_; }
  BlockClocks::Clock clock() const { return static_cast<BlockClocks::Clock>(bits_) >> kClockShift; }
  unsigned thread() const { return static_cast<unsigned>(bits_) & ((1U << kThreadBits) - 1); }
  bool has(std::int32_t flag) const { return (bits_ & flag) != 0; }
  /// Keys below are those of earlier clocks.
  static std::int32_t first_of(BlockClocks::Clock clock) {
    return static_cast<std::int32_t>(clock << kClockShift);
  }

 private:
  std::int32_t bits_ = 0;  ///< 0: never
};

using SiteIndex = std::uint16_t;  ///< of the instruction that accessed, the checker's numbers

/// Granules side by side.
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
  std::int32_t flags = 0;  ///< AccessKey
  bool is_store = false;   ///< atomics too
  SiteIndex site = 0;
  bool has_seen_atomics = false;  ///< BlockClocks's
};

/// An earlier access that the present one races with; is_none() if there is none.
struct Conflict {
  AccessKey earlier;
  SiteIndex site = 0;
  bool was_store = false;

  bool is_none() const { return earlier.bits() == 0; }
};

/// Takes down an access to the first granule of `at`. `changes`: of stores, whether the bytes are other ones
/// than before; asked only when it matters for a conflict or has to be remembered.
Conflict note_load(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks);
Conflict note_store(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks,
                    bool changes);

inline constexpr unsigned kGroup = 8;  ///< threads whose accesses are noted together

/// What is the same for all lanes of a warp that load with one instruction.
struct WarpLoad {
  ThreadAccess first;             ///< lane 0's
  std::int32_t unsettled = 0;     ///< keys from here on may not be ordered before the load
  std::int32_t oldest_write = 0;  ///< keys below: nobody has written it
  std::int32_t key = 0;           ///< lane 0's
};

inline WarpLoad warp_load(const ThreadAccess& first, const BlockClocks& clocks, bool needs_written) {
  const unsigned warp = first.thread / BlockClocks::kLanes;
  return {first, AccessKey::first_of(clocks.settled(warp) + 1),
          needs_written ? AccessKey::first_of(clocks.start()) : 0,
          AccessKey(clocks.now(warp), first.thread, first.flags).bits()};
}

/// Takes down a load that does not race.
void note_read(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks);

/// Stores that change their granules as `changed` says (kChanged or 0 for each).
bool note_group_store(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks,
                      const std::int32_t* changed);

/// Nobody has written the granule since the block began.
inline bool is_unwritten(const ShadowSpan& at, const BlockClocks& clocks) {
  return *at.write < AccessKey::first_of(clocks.start());
}

}  // namespace vgpu
