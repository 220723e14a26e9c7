// Phases of blocks whose accesses to shared memory repeat those of an earlier phase. A phase lasts from one
// barrier of the whole block to the next. All earlier accesses are ordered before it, so that what the checks
// find in it follows from its own accesses, in their order, and from which words are written before: if they
// found nothing in the earlier phase, they find nothing in this one. The barrier at its end orders its
// accesses before all later ones, so that they need no record either. Most blocks repeat the phases of the
// block before, and a tiled product repeats those of the tile before.
//
// While a phase repeats an earlier one, each access is only compared with the earlier phase's. If one
// differs, or anything else changes a clock, BlockChecker::leave_phase() records the accesses so far.
// Meetings of a warp's lanes are steps of a phase like accesses, so that reductions of a warp in shared
// memory repeat. Covered by tests/vgpu/repeated_phases_test.cpp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "vgpu/races/race_shadow.hpp"

namespace vgpu {

/// What the lanes of a warp access with one instruction.
struct LaneOffsets {
  std::uint32_t mask = 0;  ///< active lanes
  std::array<std::uint32_t, BlockClocks::kLanes>
      from{};  ///< the first active lane's offset, bytes; others: 0

  friend bool operator==(const LaneOffsets&, const LaneOffsets&) = default;
};

/// An access to shared memory, plain or volatile, or a meeting of a warp's lanes.
struct PhaseAccess {
  std::uint8_t warp = 0;
  std::uint8_t bytes = 0;     ///< of a lane; 0: a meeting
  SiteIndex site = 0;         ///< of a meeting: as is_store, since only the first eight bytes are compared
  std::uint32_t base = 0;     ///< the first active lane's offset; the lanes that meet
  std::uint32_t learned = 0;  ///< Memo::learned when the addresses were last compared; 0: never
  std::uint16_t pattern = 0;  ///< number of the LaneOffsets
  bool is_store = false;      ///< a meeting: of all live lanes

  static PhaseAccess meeting(unsigned warp, std::uint32_t lanes, bool everybody) {
    return {.warp = static_cast<std::uint8_t>(warp),
            .site = static_cast<SiteIndex>(everybody ? 1 : 0),
            .base = lanes,
            .is_store = everybody};
  }
  bool is_meeting() const { return bytes == 0; }

  /// The first eight bytes, from numbers that are perhaps not in memory.
  static std::uint64_t key_of(unsigned warp, unsigned bytes, SiteIndex site, std::uint32_t base) {
    static_assert(std::endian::native == std::endian::little);
    return warp | bytes << 8U | std::uint64_t{site} << 16U | std::uint64_t{base} << 32U;
  }
  std::uint64_t key() const {
    std::uint64_t key;
    std::memcpy(&key, this, sizeof key);
    return key;
  }
  bool is_like(const PhaseAccess& other) const { return key() == other.key(); }
};

class RepeatedPhases {
 public:
  explicit RepeatedPhases(std::size_t granules)
      : words_((granules + kBits - 1) / kBits), written_(words_), read_(words_) {}

  /// A phase begins; whether it can repeat an earlier one. The one before has ended, and its loads were
  /// recorded or dropped (deferred_loads.hpp) unless it repeated another one.
  void begin_block(bool can_repeat);
  void begin_phase(bool can_repeat, bool has_dropped_loads);
  void end_block();

  /// Whether the present phase is neither repeated nor listed for later ones.
  bool is_off() const { return state_ == State::off; }
  /// Whether the phase has accesses, and is not off.
  bool has_begun() const { return state_ == State::following || state_ == State::listing; }

  /// The next access of the phase, which has this PhaseAccess::key(), repeats the earlier phase's: the common
  /// case of step(). False if the phase is off.
  bool repeats(std::uint64_t key, std::uint32_t learned) {
    const bool does_repeat = next_ != end_ && next_->key() == key && next_->learned == learned;
    if (does_repeat) ++next_;
    return does_repeat;
  }
  bool repeats(const PhaseAccess& access) { return repeats(access.key(), access.learned); }
  /// Whether the next access of the phase, which is not off, repeats the earlier phase's. `needs_written`:
  /// all words that are loaded have to be written before.
  bool step(const PhaseAccess& access, const LaneOffsets& lanes, bool needs_written);
  /// The phase is off from now on: another one that is like it might not have the same findings.
  void leave();

  /// What was skipped and has to be recorded now.
  struct Skipped {
    std::vector<PhaseAccess> earlier;  ///< of earlier phases of the block, without loads that are dropped
    std::vector<std::uint32_t> read;   ///< granules that these phases read
    std::vector<PhaseAccess> present;  ///< of the present phase
  };
  bool has_to_record() const {
    return state_ != State::following && !(skipped_phases_.empty() && skipped_.empty());
  }
  Skipped take_skipped();
  const LaneOffsets& lanes_of(const PhaseAccess& access) const { return patterns_[access.pattern].lanes; }

  /// The number of granules in [first, end) that the block has written and read; nullopt: not known.
  std::optional<std::uint64_t> used(std::size_t first, std::size_t end) const;
  /// The shadow was cleared in the middle of a block.
  void forget_block();

 private:
  static constexpr std::size_t kBits = 64;
  static constexpr std::uint32_t kWord = 4;  // bytes of a granule
  static constexpr std::size_t kMostPhases = 64, kMostAccesses = std::size_t{1} << 16U, kMostPatterns = 256;
  static constexpr unsigned kMostDepartures = 4;
  static constexpr std::size_t kNone = ~std::size_t{0};
  using Granules = std::vector<std::uint64_t>;  ///< one bit per granule

  struct Phase {
    std::vector<PhaseAccess> accesses;
    Granules needed;  ///< those that are loaded before the phase stores to them
    Granules written, read;
    std::size_t next = kNone;  ///< the phase that followed the last time
    std::uint64_t block = 0;   ///< the last block that had the phase
    unsigned departures = 0;   ///< of phases that only began like this one, since one was all alike
    bool has_dropped_loads = false;
  };
  /// Lanes whose offsets are neighbouring words: those of the first and of the last one.
  struct Run {
    std::uint32_t first = 0, last = 0;
  };
  struct Pattern {
    LaneOffsets lanes;
    std::vector<Run> runs;
  };
  enum class State : std::uint8_t {
    off,
    fresh,      ///< no accesses so far
    following,  ///< the accesses so far repeat those of phases_[followed_]
    listing     ///< the phase will be one of phases_
  };

  void end_phase(bool has_dropped_loads);
  void end_followed();
  void end_listed(bool has_dropped_loads);
  void was_executed(std::size_t index);
  /// The phase that perhaps begins with this access; kNone: no known one.
  std::size_t find(const PhaseAccess& first, const LaneOffsets& lanes, bool needs_written) const;
  void depart();
  void list(PhaseAccess access, const LaneOffsets& lanes);
  /// kMostPatterns: there is no room for it.
  std::size_t number_of(const LaneOffsets& lanes);
  static std::vector<Run> runs_of(const LaneOffsets& lanes);
  /// Calls visit(word, bits) for the granules of an access.
  template <class Visit>
  void for_granules(const PhaseAccess& access, Visit visit) const;

  std::size_t words_;
  State state_ = State::off;
  bool is_complete_ = false;  ///< written_ and read_ have all accesses of the block
  std::uint64_t block_ = 0;   ///< counts the blocks
  Granules written_, read_;   ///< by the block's phases that were followed or listed
  std::vector<Phase> phases_;
  std::vector<Pattern> patterns_;
  std::vector<std::uint64_t> hashes_;  ///< of the patterns
  std::size_t listed_ = 0;             ///< accesses of all phases
  std::size_t first_ = kNone;          ///< the first phase of the latest block
  std::size_t previous_ = kNone;       ///< the phase before the present one
  bool is_first_ = true;               ///< the present phase is the block's first one
  std::size_t followed_ = kNone;
  PhaseAccess *next_ = nullptr, *end_ = nullptr;  ///< of the phase that is followed
  std::vector<PhaseAccess> list_;                 ///< of the phase that is listed
  std::vector<PhaseAccess> skipped_;              ///< of the present phase; not recorded yet
  struct SkippedPhase {
    std::size_t phase = 0, accesses = 0;
  };
  std::vector<SkippedPhase> skipped_phases_;  ///< of the block, by the end of each one's last repetition
};

}  // namespace vgpu
