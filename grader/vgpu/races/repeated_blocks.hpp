// Blocks whose accesses to global memory repeat those of an earlier block of the launch, in the same order,
// at one distance in each allocation. Two of these accesses have a byte in common exactly if the earlier
// block's have, so if the checks found nothing in the earlier block, they find nothing in this one, and its
// log is the earlier block's at these distances. Most blocks of a grid repeat their neighbour.
//
// Some blocks are kept: at the edges of a grid, others repeat than in its middle. While a block repeats a
// kept one, each access is only compared with the kept block's. If one differs, or something happens that
// orders accesses, the accesses so far are recorded. Only blocks without barriers and other synchronisation
// repeat one another. Covered by tests/vgpu/repeated_blocks_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vgpu/races/block_log.hpp"
#include "vgpu/state/access.hpp"

namespace vgpu::exec {

class RepeatedBlocks {
 public:
  /// A plain access of a warp.
  struct Access {
    std::uint64_t key = 0;   ///< see key_of()
    std::uint64_t base = 0;  ///< the first active lane's address
    std::uint32_t allocation = 0;
    std::uint16_t pattern = 0;  ///< number of the lanes' pattern
    std::uint8_t place = 0;     ///< of the allocation, among those that the block accesses
    bool is_first = false;      ///< the block's first access to the allocation

    static std::uint64_t key_of(unsigned warp, SiteIndex site, std::uint32_t learned) {
      return std::uint64_t{learned} << 32U | std::uint64_t{site} << 16U | warp;
    }
    unsigned warp() const { return key & 0xFFFFU; }
    SiteIndex site() const { return static_cast<SiteIndex>(key >> 16U); }
    std::uint32_t learned() const { return static_cast<std::uint32_t>(key >> 32U); }
  };

  explicit RepeatedBlocks(std::uint32_t granule_bytes) : granule_bytes_(granule_bytes) {}

  /// is_written(allocation): whether the block can load from any part of the allocation without a finding.
  template <class IsWritten>
  void begin_block(bool can_repeat, IsWritten is_written) {
    for (Block& block : blocks_) {
      const auto is_right = [&](const Allocation& one) { return !one.is_loaded || is_written(one.number); };
      block.can_repeat =
          block.is_kept && std::all_of(block.allocations.begin(), block.allocations.end(), is_right);
    }
    begin_block(can_repeat);
  }

  /// Whether the present block is neither compared with an earlier one nor listed for later ones.
  bool is_off() const { return state_ == State::off; }
  bool is_listing() const { return state_ == State::listing; }
  bool is_following() const { return state_ == State::following; }
  /// Whether the block, which has ended, has repeated the earlier one.
  bool has_repeated() const { return state_ == State::following && next_ == end_; }

  /// Whether the access repeats the earlier block's next one: the common case of step().
  bool repeats(unsigned warp, SiteIndex site, const Memo& memo, std::uint64_t base) {
    if (next_ == end_) return false;
    const bool does_repeat = next_->key == Access::key_of(warp, site, memo.learned) &&
                             next_->allocation == memo.allocation &&
                             base - next_->base == block_->allocations[next_->place].distance;
    if (does_repeat) ++next_;
    return does_repeat;
  }
  /// As repeats(), which has returned false, but compares the lanes' patterns.
  bool step(unsigned warp, SiteIndex site, const Memo& memo, std::uint64_t base);
  /// The access is listed for later blocks, if there is room.
  void list(unsigned warp, const AccessSite& site, const Memo& memo, std::uint64_t base);
  /// The listed block has accesses whose pattern was not known well enough to record them as runs, so that
  /// its log can be long. The next block like it is listed instead of repeating it.
  void set_rough() { is_rough_ = true; }
  /// The block is listed from now on. Calls record(access, memo) for the accesses that were skipped; the memo
  /// is that of the instruction at the time of the access.
  template <class Record>
  void take_skipped(Record record) {
    const std::size_t count = begin_to_list();
    for (std::size_t i = 0; i < count; ++i) {
      const Access access = block_->accesses[i];
      Memo& memo = patterns_[access.pattern];
      memo.learned = access.learned();
      memo.allocation = access.allocation;
      record(access, memo);
    }
  }
  /// The block is off from now on. What was skipped must have been taken.
  void leave();

  /// The log of the block, which has repeated the earlier one; only runs and sites.
  void put_log(BlockLog& log);
  /// The block has ended. Returns whether it was listed.
  bool end_list();
  /// The block, which was listed until its end, has this log; later blocks can repeat it.
  void keep(const BlockLog& log);

 private:
  enum class State : std::uint8_t { off, listing, following };

  struct Allocation {
    std::uint32_t number = 0;
    bool is_loaded = false;
    std::uint64_t first = 0, end = 0;  ///< the bytes that the listed block accesses are between these
    std::uint64_t distance = 0;        ///< from the listed block's accesses to the present one's, modulo 2^64
  };
  struct KeptRun {
    AccessRun run;
    std::uint8_t place = 0;  ///< of its allocation
  };
  struct Block {
    bool is_kept = false;     ///< later blocks can repeat it
    bool can_repeat = false;  ///< the present block can repeat it
    bool is_rough = false;    ///< see set_rough()
    std::uint64_t used = 0;   ///< `uses_` when it was kept, or repeated last
    std::vector<Access> accesses;
    std::vector<Allocation> allocations;
    std::vector<KeptRun> runs;
    std::vector<SiteIndex> sites;
  };

  /// Of Access::key: Memo::learned is never 0 in an access.
  static constexpr std::uint64_t kWithoutLearned = 0xFFFFFFFF;
  static constexpr std::size_t kMostAccesses = std::size_t{1} << 16U, kMostPatterns = 64;
  static constexpr std::size_t kMostAllocations = 16, kMostBlocks = 4;
  /// So many blocks in turn can differ from the one before, as at the edges of a grid, before some blocks
  /// are off.
  static constexpr unsigned kMostMisses = 4;
  static constexpr unsigned kFirstPause = 8, kLongestPause = 1024;

  void begin_block(bool can_repeat);
  /// Begins to compare with the block.
  void follow(Block& block);
  /// Whether the next access of the kept block is this one.
  bool is_next(unsigned warp, SiteIndex site, const Memo& memo) const;
  /// The place for a block to list, which is not `other`.
  Block& place_but(const Block* other);
  /// The accesses so far become the listed block's. Returns their number.
  std::size_t begin_to_list();
  std::uint16_t pattern_of(const Memo& memo);
  bool has_pattern(std::uint16_t pattern, const Memo& memo) const;
  /// The place of the access's allocation; `is_first` is set for a new one.
  std::uint8_t place_of(const Memo& memo, bool& is_first);
  void widen(Allocation& allocation, const Memo& memo, std::uint64_t base) const;
  std::uint8_t place_of(std::uint64_t address) const;
  bool is_in_page(const AccessRun& run) const;
  void put_parts(BlockLog& log, const AccessRun& run) const;

  std::uint32_t granule_bytes_;
  State state_ = State::off;
  std::array<Block, kMostBlocks> blocks_;
  Block* block_ = nullptr;  ///< that is followed or listed
  Access* next_ = nullptr;  ///< of the followed block
  Access* end_ = nullptr;   ///< equal to `next_` unless the block can continue to repeat
  std::uint64_t uses_ = 0;
  bool is_rough_ = false;        ///< the listed block
  bool replaces_rough_ = false;  ///< the listed block is like a rough one
  std::vector<Memo> patterns_;
  /// The pattern of a site's latest accesses, by site modulo the size.
  struct Recent {
    SiteIndex site = 0;
    std::uint32_t learned = 0;  ///< Memo::learned; 0: none
    std::uint16_t pattern = 0;
  };
  std::array<Recent, 16> recent_{};
  unsigned misses_ = 0;  ///< blocks since one has repeated another
  unsigned pause_ = kFirstPause, blocks_to_pause_ = 0;
};

}  // namespace vgpu::exec
