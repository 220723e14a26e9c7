// What the virtual GPU counts for one kernel launch. All counts are exact, PTX-level and independent of the
// number of CPU threads. "Warp" counts one per warp instruction, "thread" one per active lane. Names,
// definitions and the profiler's names for people: facts/counter_table.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace vgpu {

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

/// Of global and of local memory. Requests are warp instructions with at least one active lane; sectors are
/// the distinct 32-byte pieces they touch. requested_bytes is what each thread asked for (the lectures'
/// arithmetic); transferred bytes are sectors × 32. In local memory the same word of a warp's 32 threads lies
/// together, as on hardware.
struct SectorTraffic {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
  std::uint64_t requested_bytes = 0;

  friend bool operator==(const SectorTraffic&, const SectorTraffic&) = default;
};
inline constexpr std::uint64_t kSectorBytes = 32;

/// Wavefronts are the passes that the 32 banks of 4 bytes need; a conflict-free request takes one
/// (8-byte accesses two, of half a warp each; 16-byte accesses four; half of that if neighbouring lanes read
/// the same). Bank conflicts are the wavefronts beyond these. `merged` counts as if accesses to neighbouring
/// words that the assembler merges into wider ones (cost/shared_merging.hpp) were so: closer to what a
/// profiler sees.
struct SharedTraffic {
  std::uint64_t requests = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t bank_conflicts = 0;
  std::uint64_t requested_bytes = 0;
  std::uint64_t merged_requests = 0;
  std::uint64_t merged_wavefronts = 0;

  friend bool operator==(const SharedTraffic&, const SharedTraffic&) = default;
};

/// Sectors and bytes behind the caches of the device profile. On a profile without caches every sector of
/// global memory is DRAM traffic. Only of whole launches, not of source lines.
struct CacheTraffic {
  std::uint64_t l1_load_sectors = 0;      ///< looked up in L1
  std::uint64_t l1_load_hit_sectors = 0;  ///< of these, found there
  std::uint64_t l2_read_sectors = 0;      ///< asked of L2: misses of L1, loads that pass it by, atomics
  std::uint64_t l2_write_sectors = 0;     ///< stores and atomics: L1 writes through
  std::uint64_t l2_hit_sectors = 0;       ///< reads and writes found in L2
  std::uint64_t dram_read_bytes = 0;
  std::uint64_t dram_write_bytes = 0;

  CacheTraffic& operator+=(const CacheTraffic& other);
  friend bool operator==(const CacheTraffic&, const CacheTraffic&) = default;
};

/// Every member is a count of 64 bits: operator+= adds them all.
struct Counters {
  std::array<std::uint64_t, kInstructionClasses> warp_instructions_by_class{};
  std::array<std::uint64_t, kInstructionClasses> thread_instructions_by_class{};
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t flops = 0;  ///< floating-point operations of threads: fused multiply-add 2, packed halves
                            ///< each, products of matrices 2 m n k
  SectorTraffic global_loads, global_stores, global_atomics;
  SharedTraffic shared_loads, shared_stores, shared_atomics;
  SectorTraffic local_loads, local_stores;
  std::uint64_t constant_requests = 0;
  std::uint64_t branches = 0;            ///< conditional branches executed by a warp
  std::uint64_t divergent_branches = 0;  ///< of these, where lanes of the warp went both ways
  /// The same without the short branches that the assembler turns into predicates (cost/if_conversion.hpp).
  std::uint64_t branches_after_if_conversion = 0;
  std::uint64_t divergent_branches_after_if_conversion = 0;
  std::uint64_t barriers = 0;  ///< arrivals of a warp at a block barrier
  CacheTraffic cache;

  Counters& operator+=(const Counters& other);
  friend bool operator==(const Counters&, const Counters&) = default;
};

/// What a launch did on one line of the source. Line 0 (file "") holds what the compiler gave no line.
/// Functions that the compiler inlined count where their code stands, not where they are called.
struct LineCounters {
  std::string file;  ///< as the compiler named it
  std::uint32_t line = 0;
  Counters counters;

  friend bool operator==(const LineCounters&, const LineCounters&) = default;
};

}  // namespace vgpu
