// What one block did to global memory, in short: runs of granules that it accessed in one way, cut where it
// synchronised with other blocks. Made while the block runs, judged when its turn comes (global_races.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/check/race_shadow.hpp"

namespace vgpu {

/// Granules side by side that one instruction accessed: `thread`, or `thread` + i for granule i.
struct AccessRun {
  std::uint64_t address = 0;
  std::uint32_t granules = 0;
  SiteIndex site = 0;
  std::uint16_t thread = 0;
  std::int32_t flags = 0;  ///< AccessKey
  bool is_store = false;
  bool by_neighbours = false;  ///< granule i was accessed by thread + i

  unsigned thread_of(std::uint32_t granule) const { return thread + (by_neighbours ? granule : 0); }
};

struct Synchronisation {
  enum class Kind : std::uint8_t {
    fence,    ///< what came before may be published
    acquire,  ///< read `address`: what was published there comes before what follows
    release   ///< wrote `address`: published there is what came before the last fence
  };
  Kind kind = Kind::fence;
  std::uint64_t address = 0;
  std::size_t runs_before = 0;  ///< how many of the log's runs came before
};

struct BlockLog {
  std::vector<AccessRun> runs;
  std::vector<Synchronisation> synchronisations;

  void clear() {
    runs.clear();
    synchronisations.clear();
  }
};

}  // namespace vgpu
