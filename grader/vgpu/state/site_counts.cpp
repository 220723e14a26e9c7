#include "vgpu/state/site_counts.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

namespace vgpu::exec {
namespace {

void add(SectorTraffic& to, const SectorTraffic& from) {
  to.requests += from.requests;
  to.sectors += from.sectors;
  to.requested_bytes += from.requested_bytes;
}

void add(TextureTraffic& to, const TextureTraffic& from) {
  to.requests += from.requests;
  to.sectors += from.sectors;
  to.wavefronts += from.wavefronts;
  to.requested_bytes += from.requested_bytes;
}

void add(SharedTraffic& to, const SharedTraffic& from) {
  to.requests += from.requests;
  to.wavefronts += from.wavefronts;
  to.bank_conflicts += from.bank_conflicts;
  to.requested_bytes += from.requested_bytes;
  to.merged_requests += from.merged_requests;
  to.merged_wavefronts += from.merged_wavefronts;
}

/// False for join points and other instructions that the decoder adds.
bool is_counted(const Decoded& d) { return d.counted_as != kUncountedClass; }

void add(Counters& to, const Tally& tally, const Decoded& d, const Origin& origin) {
  to.warp_instructions_by_class[d.counted_as] += tally.warps;
  to.thread_instructions_by_class[d.counted_as] += tally.threads;
  to.warp_instructions += tally.warps;
  to.thread_instructions += tally.threads;
  to.flops += tally.threads * origin.flops;
  to.barriers += tally.arrivals;
  if (origin.branch == Origin::Branch::none) return;
  // brx.idx takes one target at a time and the other lanes return to it: it runs once per distinct target.
  const std::uint64_t branches = tally.warps - (origin.branch == Origin::Branch::list ? tally.diverged : 0);
  to.branches += branches;
  to.divergent_branches += tally.diverged;
  if (origin.branch == Origin::Branch::predicated) return;
  to.branches_after_if_conversion += branches;
  to.divergent_branches_after_if_conversion += tally.diverged;
}

void add(Counters& to, const MemoryCounts& counts) {
  switch (counts.traffic) {
    case Traffic::load:
      add(to.global_loads, counts.global);
      add(to.shared_loads, counts.shared);
      add(to.local_loads, counts.local);
      break;
    case Traffic::store:
      add(to.global_stores, counts.global);
      add(to.shared_stores, counts.shared);
      add(to.local_stores, counts.local);
      break;
    case Traffic::atomic:
      add(to.global_atomics, counts.global);
      add(to.shared_atomics, counts.shared);
      add(to.local_stores, counts.local);
      break;
    case Traffic::fetch:
      add(to.texture_fetches, counts.texture);
      break;
    case Traffic::surface_load:
      add(to.surface_loads, counts.texture);
      break;
    case Traffic::surface_store:
      add(to.surface_stores, counts.texture);
      break;
  }
  to.constant_requests += counts.constant_requests;
  to.constant_passes += counts.constant_passes;
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  warps += other.warps;
  threads += other.threads;
  diverged += other.diverged;
  arrivals += other.arrivals;
  return *this;
}

MemoryCounts& MemoryCounts::operator+=(const MemoryCounts& other) {
  origin = std::max(origin, other.origin);  // 0 in blocks that did not run the instruction
  traffic = std::max(traffic, other.traffic);
  add(global, other.global);
  add(local, other.local);
  add(shared, other.shared);
  add(texture, other.texture);
  constant_requests += other.constant_requests;
  constant_passes += other.constant_passes;
  return *this;
}

void SiteCounts::clear() {
  std::fill(instructions.begin(), instructions.end(), Tally{});
  std::fill(memory.begin(), memory.end(), MemoryCounts{});
}

SiteCounts& SiteCounts::operator+=(const SiteCounts& other) {
  assert(instructions.size() == other.instructions.size() && memory.size() == other.memory.size());
  for (std::size_t i = 0; i < instructions.size(); ++i) instructions[i] += other.instructions[i];
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] += other.memory[i];
  return *this;
}

Counters total_of(const Program& program, const SiteCounts& sites) {
  Counters total;
  for (std::size_t i = 0; i < sites.instructions.size(); ++i) {
    const Decoded& d = program.code[i];
    if (is_counted(d)) add(total, sites.instructions[i], d, program.origins[d.origin]);
  }
  for (const MemoryCounts& counts : sites.memory) add(total, counts);
  return total;
}

std::vector<LineCounters> lines_of(const Program& program, const SiteCounts& sites) {
  std::map<std::pair<std::uint16_t, std::uint32_t>, Counters> by_line;
  const auto line_of = [&](std::uint32_t origin) -> Counters& {
    const ptx::SourceLine& source = program.origins[origin].source;
    const bool is_known = source.line != 0 && source.file < program.files.size();
    return by_line[is_known ? std::pair{source.file, source.line} : std::pair{std::uint16_t{0}, 0U}];
  };
  for (std::size_t i = 0; i < sites.instructions.size(); ++i) {
    const Decoded& d = program.code[i];
    if (is_counted(d) && sites.instructions[i].warps != 0)
      add(line_of(d.origin), sites.instructions[i], d, program.origins[d.origin]);
  }
  for (const MemoryCounts& counts : sites.memory) add(line_of(counts.origin), counts);
  std::vector<LineCounters> lines;
  for (const auto& [at, counters] : by_line) {
    if (counters == Counters{}) continue;
    lines.push_back({at.second == 0 ? "" : program.files[at.first], at.second, counters});
  }
  return lines;
}

}  // namespace vgpu::exec
