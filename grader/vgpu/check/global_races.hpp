// Finds races in global memory between the blocks of a launch from the blocks' logs, which arrive in block
// order. Two blocks race where neither is ordered before the other (block_order.hpp), independent of the
// order in which they ran. The last write and the last read of each granule are kept.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "vgpu/check/block_log.hpp"
#include "vgpu/check/block_order.hpp"

namespace vgpu {

/// One of the two accesses of a race between blocks.
struct BlockAccess {
  std::uint64_t block = 0;
  unsigned thread = 0;
  SiteIndex site = 0;
  bool is_store = false;
};

class GlobalRaces {
 public:
  /// Called for each granule's race; `address` is the granule's.
  using Report =
      std::function<void(std::uint64_t address, const BlockAccess& access, const BlockAccess& earlier)>;
  /// Whether the granule at `address` holds other bytes after the block's store than before.
  using Changes = std::function<bool(std::uint64_t address)>;

  static constexpr std::size_t kPageGranules = 1024;
  static constexpr std::size_t kMaxPages = 32 * 1024;  ///< 0.4 GB for loads, and as much for stores

  explicit GlobalRaces(std::uint32_t granule_bytes, std::size_t max_pages = kMaxPages)
      : granule_bytes_(granule_bytes), max_pages_(max_pages) {}

  /// `changes` null: the flags of the runs (AccessKey::kChanged) are used.
  void add(std::uint64_t block, const BlockLog& log, const Changes& changes, const Report& report);
  bool has_news(std::uint64_t block, std::uint64_t address) const { return order_.has_news(block, address); }
  /// True if the launch accessed more memory than is tracked; races in the rest were not searched.
  bool is_incomplete() const { return is_incomplete_; }

 private:
  /// The last load or store of a granule.
  struct Access {
    BlockOrder::Node node = 0;  ///< 0: there was none
    std::int32_t key = 0;       ///< thread and flags as in an AccessKey
    SiteIndex site = 0;
  };
  /// Loads and stores are kept in separate tables: most memory is only read and needs no entries for stores.
  struct Page {
    std::vector<Access> loads, stores;  ///< by granule; empty: no accesses

    static std::vector<Access>& all(std::vector<Access>& accesses) {
      if (accesses.empty()) accesses.resize(kPageGranules);
      return accesses;
    }
  };

  /// The part of a run in one page.
  struct Stretch {
    Page& page;
    std::size_t at = 0, count = 0;  ///< first granule in the page, and number
    std::uint32_t first = 0;        ///< first granule in the run
  };

  Page* page(std::uint64_t number);
  template <class Visit>
  void for_stretches(const AccessRun& run, Visit visit);
  std::uint64_t address_of(const AccessRun& run, std::size_t granule) const {
    return run.address + granule * granule_bytes_;
  }
  void add_stretch(std::uint64_t block, std::span<const AccessRun> runs, const Changes& changes,
                   const Report& report);
  void check_loads(const AccessRun& run, const Report& report);
  void check_load(const AccessRun& run, std::uint32_t granule, const Access& store, const Report& report);
  void add_stores(const AccessRun& run, const Changes& changes, const Report& report);
  /// `load`, `store`: the granule's last accesses.
  void add_store(const AccessRun& run, std::uint32_t granule, bool changed, const Access& load, Access& store,
                 const Report& report);
  void keep_loads(const AccessRun& run);
  bool is_concurrent(BlockOrder::Node earlier);
  bool follows(const Access& store, std::uint64_t address);

  std::uint32_t granule_bytes_;
  std::size_t max_pages_;
  BlockOrder order_;
  std::uint64_t block_ = 0;  ///< the block whose runs are being added
  BlockOrder::Node now_ = 0;
  std::unordered_map<std::uint64_t, Page> pages_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_ = nullptr;
  bool is_incomplete_ = false;
};

}  // namespace vgpu
