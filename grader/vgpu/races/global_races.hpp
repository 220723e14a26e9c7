// Finds races in global memory between the blocks of a launch from the blocks' logs, which arrive in block
// order. Two blocks race where neither is ordered before the other (block_order.hpp), independent of the
// order in which they ran. The last write and the last read of each granule are kept.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vgpu/races/block_log.hpp"
#include "vgpu/races/block_order.hpp"
#include "vgpu/races/page_accesses.hpp"
#include "vgpu/state/memory_part.hpp"

namespace vgpu {

/// One of the two accesses of a race between blocks.
struct BlockAccess {
  std::uint64_t block = 0;
  unsigned thread = 0;
  SiteIndex site = 0;
  bool is_store = false;
  /// The earlier access is a store that is ordered before this one, a load of memory that must not change.
  bool is_stale = false;
  /// A load and a store that race, but the loading thread has stored the same bytes itself before.
  bool is_harmless = false;
};

/// The later access of a race, by the order in which races are reported: it does not depend on how the log
/// is divided into runs.
struct RacePlace {
  std::uint32_t stretch = 0;  ///< number of the block's synchronisations before it
  bool is_store = false;
  std::uint64_t address = 0;  ///< the granule's

  friend auto operator<=>(const RacePlace&, const RacePlace&) = default;
};

/// A granule's race.
struct Race {
  RacePlace place;
  BlockAccess access, earlier;

  /// A number for the two instructions.
  std::uint64_t sites() const {
    return std::uint64_t{access.is_stale} << 32U | std::uint64_t{access.site} << 16U | earlier.site;
  }
};

class GlobalRaces {
 public:
  using Report = std::function<void(const Race& race)>;
  /// Sets `changed` for the granules from `address` on, at this spacing and in one page: whether a granule
  /// holds other bytes after the block's store than before.
  using Changes = std::function<void(std::uint64_t address, const Spacing& spacing, std::span<bool> changed)>;

  static constexpr std::size_t kPageGranules = LastAccesses::kPageGranules;
  /// For each of the MemoryPart::kMost smallest parts, so that the limit does not depend on the part: in all,
  /// at most 0.4 GB for loads, and as much for stores.
  static constexpr std::size_t kMaxPages = 2 * 1024;

  /// Races in the rest of memory are not searched.
  explicit GlobalRaces(std::uint32_t granule_bytes, MemoryPart part = {}, std::size_t max_pages = kMaxPages)
      : granule_bytes_(granule_bytes),
        granule_shift_(static_cast<unsigned>(std::countr_zero(granule_bytes))),
        part_(part),
        max_pages_(max_pages) {}

  const MemoryPart& part() const { return part_; }

  /// By site: whether it loads memory that must not change while the kernel runs. Empty: no site does.
  void set_read_only(std::vector<bool> sites) { read_only_ = std::move(sites); }

  /// `changes` null: the flags of the runs (AccessKey::kChanged) are used.
  void add(std::uint64_t block, const BlockLog& log, const Changes& changes, const Report& report);
  bool has_news(std::uint64_t block, std::uint64_t address) const { return order_.has_news(block, address); }
  /// True if the launch accessed more memory than is tracked; races in the rest were not searched.
  bool is_incomplete() const { return is_incomplete_; }
  /// Frees the pages, after the last block.
  void release() { pages_.clear(); }

 private:
  struct Page {
    PageAccesses loads, stores;
  };

  /// The part of a run in one page.
  struct Stretch {
    const AccessRun& run;
    Page& page;
    std::size_t at = 0, count = 0;  ///< first granule in the page, and number
    std::uint32_t first = 0;        ///< first granule in the run

    /// The granule of the page that is the run's granule first + i.
    std::size_t place(std::uint32_t i) const { return at + run.spacing.place_of(i); }
    /// Whether certainly none of the accesses is to the stretch.
    bool is_empty(const PageAccesses& accesses) const {
      return accesses.are_empty(
          {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(count), run.spacing});
    }
  };

  Page* page(std::uint64_t number);
  template <class Visit>
  void for_stretches(const AccessRun& run, Visit visit);
  std::uint64_t address_of(const AccessRun& run, std::uint32_t granule) const {
    return run.address_of(granule, granule_bytes_);
  }
  void add_stretch(std::uint64_t block, std::span<const AccessRun> runs, const Changes& changes,
                   const Report& report);
  /// Records the run's granules as last accessed by it; `flag`: kChanged (of a load: kReadsBack) or 0.
  /// `changed`: further granules with kChanged; can be nullptr.
  void put(PageAccesses& accesses, const Stretch& stretch, std::int32_t flag,
           const bool* changed = nullptr) const;
  void check_loads(const Stretch& stretch, const Report& report);
  void check_load(const Stretch& stretch, std::uint32_t i, const LastAccess& store, const Report& report);
  void add_stores(const Stretch& stretch, const Changes& changes, const Report& report);
  /// `load`, `store`: the last accesses of the stretch's granule i. Returns the last store from now on.
  LastAccess add_store(const Stretch& stretch, std::uint32_t i, bool changed, const LastAccess& load,
                       LastAccess store, const Report& report);
  RacePlace place_of(const Stretch& stretch, std::uint32_t i) const {
    return {synchronisations_, stretch.run.is_store, address_of(stretch.run, stretch.first + i)};
  }
  bool is_concurrent(const LastAccess& earlier);
  bool follows(const LastAccess& store, std::uint64_t address);

  std::vector<bool> read_only_;
  std::uint32_t granule_bytes_;  ///< 2^granule_shift_
  unsigned granule_shift_;
  MemoryPart part_;
  std::size_t max_pages_;
  std::array<std::size_t, MemoryPart::kMost> page_counts_{};  ///< of `pages_`, by the smallest parts
  BlockOrder order_;
  std::uint64_t block_ = 0;             ///< the block whose runs are being added
  const BlockLog* log_ = nullptr;       ///< its log
  std::uint32_t synchronisations_ = 0;  ///< of the block so far
  BlockOrder::Node now_ = 0;
  std::unordered_map<std::uint64_t, Page> pages_;
  /// Pages by number modulo the size: neighbouring blocks access the same pages.
  struct Recent {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };
  std::array<Recent, 1024> recent_{};
  std::vector<Stretch> loads_;  ///< of the runs that are being added
  bool is_incomplete_ = false;
};

}  // namespace vgpu
