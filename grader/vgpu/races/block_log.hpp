// A compact log of one block's accesses to global memory: runs of granules that it accessed in one way, side
// by side or at a constant stride, cut where it synchronised with other blocks. Written while the block runs,
// evaluated in block order (global_races.hpp).
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>
#include <vector>

#include "vgpu/races/race_shadow.hpp"

namespace vgpu {

/// The threads that accessed the granules of a run, as one formula: a log has one entry for a row of a matrix
/// that a block loaded tile by tile, or for a column of threads that stored a transposed tile.
struct ThreadSequence {
  static constexpr std::uint8_t kOneThread = 31;  ///< as shift: one thread accessed all granules
  static constexpr std::uint32_t kNoPeriod = ~std::uint32_t{0};

  std::uint8_t shift = kOneThread;        ///< a thread accessed 2^shift adjacent granules
  std::uint16_t step = 1;                 ///< from one thread to the next one
  std::uint32_t period_mask = kNoPeriod;  ///< after period_mask + 1 granules the threads start over

  /// What the thread of a granule adds to that of granule 0.
  std::uint32_t offset_of(std::uint32_t granule) const { return ((granule & period_mask) >> shift) * step; }
  bool has_one_thread() const { return shift == kOneThread; }
  /// The number of granules from this one on before the threads start over, minus one.
  std::uint32_t rest_of_period(std::uint32_t granule) const { return period_mask - (granule & period_mask); }
  bool has_period() const { return period_mask != kNoPeriod; }
  /// Whether the threads can start over after this number of granules: a power of two. (To count its bits
  /// would be a call of the compiler's library.)
  static bool can_be_period(std::uint32_t granules) {
    return granules != 0 && (granules & (granules - 1)) == 0;
  }
  /// Whether the kGroup granules from this one on are of lanes as in GroupLanes.
  bool has_group_at(std::uint32_t granule) const {
    if (has_one_thread()) return true;
    const std::uint32_t of_thread = std::min(kGroup, 1U << shift);  // a power of two
    return (granule & (of_thread - 1)) == 0 && rest_of_period(granule) >= kGroup - 1;
  }
  void set_period(std::uint32_t granules) {
    assert(can_be_period(granules));
    period_mask = granules - 1;
  }
};

/// The places of a run's granules: elements of 2^shift adjacent granules, with gaps of one size between them.
/// A log has one entry for a column of a matrix, or for one member of each structure of an array.
struct Spacing {
  std::uint8_t shift = 0;
  std::uint16_t gap = 0;  ///< granules; 0: all granules are adjacent

  /// The number of granules from the run's first one to this one.
  std::uint32_t place_of(std::uint32_t granule) const { return granule + (granule >> shift) * gap; }
  std::uint32_t element() const { return 1U << shift; }
  bool has_gaps() const { return gap != 0; }
  friend bool operator==(const Spacing&, const Spacing&) = default;
};

/// Granules at a spacing, without threads.
struct SpacedGranules {
  std::uint32_t at = 0, granules = 0;  ///< the first one's place in a page, and how many
  Spacing spacing;

  std::uint32_t distance() const { return spacing.element() + spacing.gap; }
  std::uint32_t place_of(std::uint32_t granule) const { return at + spacing.place_of(granule); }
  std::uint32_t end() const { return place_of(granules - 1) + 1; }
  /// The granule at this place; none if the place is before the first one.
  std::optional<std::uint32_t> granule_at(std::uint32_t place) const {
    if (!spacing.has_gaps()) return place - at;
    const std::uint32_t ahead = place - at, in_element = ahead % distance();
    if (in_element >= spacing.element()) return std::nullopt;
    return ahead / distance() * spacing.element() + in_element;
  }
  /// False: perhaps they have a granule in common.
  bool are_apart_from(const SpacedGranules& other) const {
    if (end() <= other.at || other.end() <= at) return true;
    if (spacing != other.spacing || !spacing.has_gaps()) return false;
    const std::uint32_t ahead = (other.at + distance() - at % distance()) % distance();
    return ahead >= spacing.element() && distance() - ahead >= spacing.element();
  }
  /// Whether all of the other ones are certainly among these.
  bool contain(const SpacedGranules& other) const {
    const bool are_between = at <= other.at && other.end() <= end();
    if (!are_between || !spacing.has_gaps()) return are_between;
    return spacing == other.spacing && (other.at - at) % distance() == 0;
  }
};

/// Granules that were accessed in one way. Those with gaps between them are in one page.
struct AccessRun {
  /// The flags of a key that are part of its run.
  static constexpr std::int32_t kFlags = AccessKey::kAtomic | AccessKey::kVolatile | AccessKey::kChanged;

  static constexpr std::uint32_t kOneSite = ~std::uint32_t{0};

  std::uint64_t address = 0;
  std::uint32_t granules = 0;
  /// The place of the first granule's site in BlockLog::sites, for plain loads only; kOneSite: `site`
  /// accessed all granules.
  std::uint32_t sites_at = kOneSite;
  SiteIndex site = 0;        ///< of the first granule
  std::uint16_t thread = 0;  ///< of the first granule
  std::int32_t flags = 0;    ///< of AccessKey, in kFlags
  bool is_store = false;
  ThreadSequence threads;
  Spacing spacing;

  bool has_one_site() const { return sites_at == kOneSite; }
  unsigned thread_of(std::uint32_t granule) const { return thread + threads.offset_of(granule); }
  std::uint64_t address_of(std::uint32_t granule, std::uint32_t granule_bytes) const {
    return address + std::uint64_t{spacing.place_of(granule)} * granule_bytes;
  }
  /// Calls visit(address, granules) for the parts of the run that have no gaps.
  template <class Visit>
  void for_parts(std::uint32_t granule_bytes, Visit visit) const {
    const std::uint32_t part = spacing.has_gaps() ? spacing.element() : granules;
    for (std::uint32_t i = 0; i < granules; i += part) visit(address_of(i, granule_bytes), part);
  }
};

struct Synchronisation {
  enum class Kind : std::uint8_t {
    fence,    ///< later releases publish the accesses that are ordered before it
    meet,     ///< all threads of the block met at a barrier
    observe,  ///< read `address`
    acquire,  ///< accesses published at `address`, as observed there, are ordered before later ones
    release   ///< wrote `address`: publishes the accesses that fences precede
  };
  static constexpr std::uint8_t kAnyWarp = 0xFF;

  Kind kind = Kind::fence;
  /// Of fences and releases: the warp; kAnyWarp: every access of the block may be ordered before it.
  std::uint8_t warp = kAnyWarp;
  std::uint64_t address = 0;
  std::size_t runs_before = 0;  ///< number of the log's runs before it
};

/// Memory that the block read and that no kernel can write: constant memory, and memory that the host shares
/// of a texture from which the block fetched.
struct FetchedMemory {
  std::uint64_t start = 0, size_bytes = 0;

  friend bool operator==(const FetchedMemory&, const FetchedMemory&) = default;
};

struct BlockLog {
  std::vector<AccessRun> runs;
  std::vector<SiteIndex> sites;  ///< of runs with several: one per granule
  std::vector<FetchedMemory> fetched;
  std::vector<Synchronisation> synchronisations;
  /// The bytes that hold copies of unwritten bytes (ValueFlow::take_copies()).
  std::vector<std::uint64_t> unwritten;

  SiteIndex site_of(const AccessRun& run, std::uint32_t granule) const {
    return run.has_one_site() ? run.site : sites[run.sites_at + granule];
  }
  /// The granules that the runs store, those of one run counted once: all threads of a block can store one
  /// result.
  std::uint64_t stored_granules() const {
    std::uint64_t granules = 0;
    for (const AccessRun& run : runs)
      if (run.is_store) granules += run.granules;
    return granules;
  }
  void clear() {
    runs.clear();
    sites.clear();
    fetched.clear();
    synchronisations.clear();
    unwritten.clear();
  }
};

}  // namespace vgpu
