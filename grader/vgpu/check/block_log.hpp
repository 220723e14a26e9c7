// A compact log of one block's accesses to global memory: runs of granules that it accessed in one way, cut
// where it synchronised with other blocks. Written while the block runs, evaluated in block order
// (global_races.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/check/race_shadow.hpp"

namespace vgpu {

/// Adjacent granules that one instruction accessed: all by `thread`, or granule i by `thread` + i.
struct AccessRun {
  /// The flags of a key that are part of its run.
  static constexpr std::int32_t kFlags = AccessKey::kAtomic | AccessKey::kVolatile | AccessKey::kChanged;

  std::uint64_t address = 0;
  std::uint32_t granules = 0;
  SiteIndex site = 0;
  std::uint16_t thread = 0;
  std::int32_t flags = 0;  ///< of AccessKey, in kFlags
  bool is_store = false;
  bool by_neighbours = false;  ///< granule i was accessed by thread + i

  unsigned thread_of(std::uint32_t granule) const { return thread + (by_neighbours ? granule : 0); }
};

struct Synchronisation {
  enum class Kind : std::uint8_t {
    fence,    ///< later releases publish the accesses before it
    observe,  ///< read `address`
    acquire,  ///< accesses published at `address`, as observed there, are ordered before later ones
    release   ///< wrote `address`: publishes the accesses before the last fence
  };
  Kind kind = Kind::fence;
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
  std::vector<FetchedMemory> fetched;
  std::vector<Synchronisation> synchronisations;

  void clear() {
    runs.clear();
    fetched.clear();
    synchronisations.clear();
  }
};

}  // namespace vgpu
