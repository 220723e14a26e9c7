// What the virtual GPU counts for one kernel launch. All counts are exact, PTX-level and independent of the
// number of CPU threads. "Warp" counts one per warp instruction, "thread" one per active lane. The
// names, definitions and profiler metrics that people see: facts/counter_table.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace vgpu {

/// Adds member by member. Requires that all members are counts of 64 bits. Inline, since each block's
/// counters are added.
template <class Counts>
Counts& add_counts(Counts& to, const Counts& from) {
  using Words = std::array<std::uint64_t, sizeof(Counts) / sizeof(std::uint64_t)>;
  auto sum = std::bit_cast<Words>(to);
  const auto more = std::bit_cast<Words>(from);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  to = std::bit_cast<Counts>(sum);
  return to;
}

enum class InstructionClass : std::uint8_t {
  integer,
  float32,
  float64,
  conversion,
  move,
  predicate,
  memory,
  control,
  barrier,
  warp,
  special,
  tensor
};
inline constexpr std::size_t kInstructionClasses = 12;

/// Traffic with global or local memory. Requests are warp instructions with at least one active lane; sectors
/// are the distinct 32-byte pieces that they touch. requested_bytes sums the bytes that each thread requests
/// (the lectures' arithmetic); transferred bytes are sectors × 32. In local memory the same word of a warp's
/// 32 threads is contiguous, as on hardware.
struct SectorTraffic {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
  std::uint64_t requested_bytes = 0;

  friend bool operator==(const SectorTraffic&, const SectorTraffic&) = default;
};
inline constexpr std::uint64_t kSectorBytes = 32;

/// Wavefronts are the passes that the 32 banks of 4 bytes need. A conflict-free request takes one pass;
/// 8-byte accesses take two, each for half a warp, and 16-byte accesses four; half as many if neighbouring
/// lanes read the same address. Bank conflicts are the wavefronts beyond that number. The `merged` counts
/// assume that accesses to neighbouring words are merged as the assembler merges them
/// (cost/shared_merging.hpp): closer to what a profiler sees.
struct SharedTraffic {
  std::uint64_t requests = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t bank_conflicts = 0;
  std::uint64_t requested_bytes = 0;
  std::uint64_t merged_requests = 0;
  std::uint64_t merged_wavefronts = 0;

  friend bool operator==(const SharedTraffic&, const SharedTraffic&) = default;
};

/// Traffic of the texture unit, which processes a warp instruction in requests of 4 or 8 neighbouring lanes,
/// and in wavefronts. Sectors are those that a request needs, each once (cost/texture_traffic.hpp);
/// requested_bytes sums the texels that each thread reads, four of them for a linear filter in two
/// dimensions.
struct TextureTraffic {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t requested_bytes = 0;

  friend bool operator==(const TextureTraffic&, const TextureTraffic&) = default;
};

/// Traffic of the caches of the device profile and of DRAM. On a profile without caches every sector of
/// global memory, textures and surfaces is DRAM traffic. Counted for whole launches only, not for source
/// lines.
struct CacheTraffic {
  std::uint64_t l1_load_sectors = 0;      ///< looked up in L1
  std::uint64_t l1_load_hit_sectors = 0;  ///< of l1_load_sectors, found in L1
  std::uint64_t texture_sectors = 0;      ///< of fetches and surface loads, looked up in L1
  std::uint64_t texture_hit_sectors = 0;  ///< of texture_sectors, found in L1
  std::uint64_t l2_read_sectors = 0;      ///< read from L2: misses of L1, loads that bypass it, atomics
  std::uint64_t l2_write_sectors = 0;     ///< written to L2 by stores and atomics: L1 writes through
  std::uint64_t l2_hit_sectors = 0;       ///< reads and writes found in L2
  std::uint64_t dram_read_bytes = 0;
  std::uint64_t dram_write_bytes = 0;

  CacheTraffic& operator+=(const CacheTraffic& other) { return add_counts(*this, other); }
  friend bool operator==(const CacheTraffic&, const CacheTraffic&) = default;
};

/// Every member is a count of 64 bits; operator+= adds all of them and relies on that.
struct Counters {
  std::array<std::uint64_t, kInstructionClasses> warp_instructions_by_class{};
  std::array<std::uint64_t, kInstructionClasses> thread_instructions_by_class{};
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t flops = 0;  ///< floating-point operations of threads: 2 per fused multiply-add, one per
                            ///< packed half, 2 m n k per matrix product
  SectorTraffic global_loads, global_stores, global_atomics;
  SharedTraffic shared_loads, shared_stores, shared_atomics;
  SectorTraffic local_loads, local_stores;
  TextureTraffic texture_fetches, surface_loads, surface_stores;
  std::uint64_t constant_requests = 0;
  std::uint64_t constant_passes = 0;     ///< different addresses that each constant request reads
  std::uint64_t branches = 0;            ///< conditional branches executed by a warp
  std::uint64_t divergent_branches = 0;  ///< of `branches`, those at which lanes went both ways
  /// Without the short branches that the assembler turns into predicates (cost/if_conversion.hpp).
  std::uint64_t branches_after_if_conversion = 0;
  std::uint64_t divergent_branches_after_if_conversion = 0;
  std::uint64_t barriers = 0;  ///< arrivals of a warp at a block barrier
  CacheTraffic cache;

  Counters& operator+=(const Counters& other) { return add_counts(*this, other); }
  friend bool operator==(const Counters&, const Counters&) = default;
};

/// The counters of one source line. Line 0 (file "") holds instructions to which the compiler gave no line.
/// Functions that the compiler inlined count on the lines of their own code, not on those of the call.
struct LineCounters {
  std::string file;  ///< as the compiler named it
  std::uint32_t line = 0;
  Counters counters;

  friend bool operator==(const LineCounters&, const LineCounters&) = default;
};

}  // namespace vgpu
