// Counts per instruction. The sums by class, by source line and over the launch are computed from them when a
// block or a launch has ended. Covered by tests/vgpu/line_counters_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

enum class Traffic : std::uint8_t { load, store, atomic, fetch, surface_load, surface_store };

/// Counts of one decoded instruction.
struct Tally {
  std::uint64_t warps = 0, threads = 0;
  std::uint64_t diverged = 0;  ///< branches: executions in which lanes went both ways
  std::uint64_t arrivals = 0;  ///< barriers: arrivals of warps, on any number of paths

  Tally& operator+=(const Tally& other);
};

/// Counts of one memory instruction (Decoded::memo). Generic addresses can reach several spaces.
struct MemoryCounts {
  std::uint32_t origin = 0;  ///< index into Program::origins
  Traffic traffic = Traffic::load;
  SectorTraffic global, local;
  SharedTraffic shared;
  TextureTraffic texture;  ///< of fetches and surface accesses
  std::uint64_t constant_requests = 0, constant_passes = 0;

  MemoryCounts& operator+=(const MemoryCounts& other);
};

struct SiteCounts {
  std::vector<Tally> instructions;  ///< by index into Program::code
  std::vector<MemoryCounts> memory;

  explicit SiteCounts(const Program& program)
      : instructions(program.code.size()), memory(program.memo_count) {}
  SiteCounts() = default;
  void clear();
  SiteCounts& operator+=(const SiteCounts& other);
};

Counters total_of(const Program& program, const SiteCounts& sites);

/// By file and line, in that order; lines without executed instructions are left out. The lines add up to
/// total_of().
std::vector<LineCounters> lines_of(const Program& program, const SiteCounts& sites);

}  // namespace vgpu::exec
