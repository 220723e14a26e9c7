#include "vgpu/cost/cache_trace.hpp"

#include <algorithm>
#include <bit>

#include "vgpu/state/access.hpp"

namespace vgpu::exec {
namespace {

using Kind = LineAccess::Kind;

// Lines of local memory have addresses above all allocations. Blocks that an SM runs one after another reuse
// its local memory; kConcurrentBlocks is the number of concurrent blocks on the largest devices.
constexpr std::uint64_t kLocalLines = std::uint64_t{1} << 48U;
constexpr std::uint64_t kConcurrentBlocks = 4096;
constexpr std::uint64_t kLocalWords = 64 * 1024 / 4;  // per thread, at most

std::uint64_t sectors_in(unsigned mask) { return static_cast<unsigned>(std::popcount(mask)); }

Kind kind_of(const Decoded& d, const AccessForm& form) {
  const bool is_local = form.space == ptx::Space::local;
  if (form.traffic == Traffic::atomic) return Kind::atomic;
  if (form.traffic == Traffic::store) return is_local ? Kind::local_store : Kind::store;
  return AccessOption::of(d).is_strong ? Kind::uncached_load : Kind::load;
}

}  // namespace

/// The lines of one request, each once, in the order of the lanes.
class CacheTrace::Lines {
 public:
  void add(std::uint64_t line, unsigned sectors) {
    // Neighbouring lanes usually access the same line, so the last line is compared first.
    const auto end = lines_.begin() + count_;
    const auto found =
        count_ != 0 && lines_[count_ - 1] == line ? end - 1 : std::find(lines_.begin(), end, line);
    const auto at = static_cast<std::size_t>(found - lines_.begin());
    if (found == end) {
      lines_[count_] = line;
      sectors_[count_++] = 0;
    }
    sectors_[at] |= sectors;
  }
  std::size_t count() const { return count_; }
  template <class Take>
  void for_each(Take take) const {
    for (std::size_t i = 0; i < count_; ++i) take(lines_[i], sectors_[i], i + 1 == count_);
  }

 private:
  // Per lane: an access of 32 bytes of local memory touches 8 lines, linear filtering 8 texels.
  static constexpr std::size_t kMost = kWarpLanes * 8;
  std::array<std::uint64_t, kMost> lines_;
  std::array<unsigned, kMost> sectors_;
  std::size_t count_ = 0;
};

void trace_access(const Warp& warp, const Decoded& d, const Addresses& addresses, const AccessForm& form) {
  if (warp.core->trace != nullptr) warp.core->trace->record(warp, d, addresses, form);
}

CacheTrace::CacheTrace(std::size_t l1_bytes, std::size_t warps)
    : has_l1_(l1_bytes != 0), l1_(l1_bytes), by_warp_(warps) {}

void CacheTrace::begin(std::uint64_t index) {
  l1_.clear();
  for (auto& accesses : by_warp_) accesses.clear();
  recorded_ = 0;
  passed_on_.clear();
  atomics_.clear();
  lines_ = in_flight_sectors_ = 0;
  traffic_ = {};
  local_start_ = kLocalLines + index % kConcurrentBlocks * by_warp_.size() * kLocalWords;
}

void CacheTrace::record(const Warp& warp, const Decoded& d,
                        const std::array<std::uint64_t, kWarpLanes>& addresses, const AccessForm& form) {
  Lines lines;
  const std::uint64_t local = local_start_ + warp.index * kLocalWords;
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (form.space != ptx::Space::local) {
      lines.add(addresses[lane] / kCacheLineBytes, 1U << (addresses[lane] / kSectorBytes % 4));
      continue;
    }
    // Local memory is interleaved (CUDA C++ Programming Guide, "Local Memory"): a line contains word w of a
    // warp's 32 threads, a sector the words of 8 threads.
    for (unsigned byte = 0; byte < form.bytes; byte += 4)
      lines.add(local + (addresses[lane] + byte) / 4, 1U << (lane / 8));
  }
  // Accesses of 8 bytes run for half a warp at a time, those of 16 bytes for a quarter: a line can be looked
  // up twice.
  constexpr std::size_t kWordBytes = 4;
  lines_ += std::max(lines.count(), form.bytes / kWordBytes) - lines.count();
  if (form.traffic == Traffic::atomic) count_atomics(warp, d, addresses);
  keep(warp, kind_of(d, form), lines, true);
}

void CacheTrace::record(const Warp& warp, Kind kind, std::span<const std::uint64_t> sectors,
                        bool ends_request) {
  Lines lines;
  for (const std::uint64_t sector : sectors)
    lines.add(sector / kSectorsOfLine, 1U << (sector % kSectorsOfLine));
  keep(warp, kind, lines, ends_request);
}

void CacheTrace::keep(const Warp& warp, Kind kind, const Lines& lines, bool ends_request) {
  lines.for_each([&](std::uint64_t line, unsigned sectors, bool is_last) {
    by_warp_[warp.index].emplace_back(kind, line, sectors, is_last && ends_request);
    ++recorded_;
  });
  if (recorded_ >= kMaxRecorded && ends_request) meet();
}

void CacheTrace::count_atomics(const Warp& warp, const Decoded& d,
                               const std::array<std::uint64_t, kWarpLanes>& addresses) {
  std::array<std::uint64_t, kWarpLanes> words;
  std::size_t count = 0;
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1)
    words[count++] = addresses[std::countr_zero(rest)];
  // Sorting puts the lanes of a line next to each other, and within a line the lanes of a word.
  std::sort(words.begin(), words.begin() + count);
  const AccessOption option = AccessOption::of(d);
  for (std::size_t i = 0; i < count;) {
    const std::uint64_t line = words[i] / kCacheLineBytes;
    std::uint64_t most = 0, different = 0;
    for (; i < count && words[i] / kCacheLineBytes == line; ++different) {
      const std::size_t first = i;
      while (i < count && words[i] == words[first]) ++i;
      // The compiler combines these into one atomic per warp (combined_atomics.hpp).
      most = std::max<std::uint64_t>(most, option.is_combined_atomic ? 1 : i - first);
    }
    AtomicLoad& load = atomics_[line];
    (option.is_float_atomic ? load.float_lanes : load.lanes) += most;
    load.scattered += different > 1 ? 1 : 0;
  }
}

void CacheTrace::meet() {
  if (recorded_ == 0) return;
  std::vector<std::size_t> next(by_warp_.size());
  for (bool any = true; any;) {
    any = false;
    coming_.clear();
    for (std::size_t warp = 0; warp < by_warp_.size(); ++warp) {
      const auto& accesses = by_warp_[warp];
      while (next[warp] < accesses.size()) {
        const LineAccess access = accesses[next[warp]++];
        look_up(access);
        if (access.ends_request()) break;
      }
      any |= next[warp] < accesses.size();
    }
  }
  for (auto& accesses : by_warp_) accesses.clear();
  recorded_ = 0;
  if (next_level_ != nullptr && is_full()) next_level_->serve(take_passed_on());
}

/// Which of the sectors L1 has.
unsigned CacheTrace::read_l1(LineAccess access) {
  const unsigned found = has_l1_ ? l1_.read(access.line(), access.sectors()) : 0;
  // A line that another warp of this turn requested has not arrived yet on hardware.
  if (found != 0 && coming_.contains(access.line())) in_flight_sectors_ += sectors_in(found);
  if (found != access.sectors()) coming_.insert(access.line());
  return found;
}

void CacheTrace::look_up(LineAccess access) {
  const bool is_texture = access.kind() == Kind::fetch || access.kind() == Kind::surface_store;
  unsigned missing = access.sectors();
  lines_ += is_texture ? 0 : 1;
  switch (access.kind()) {
    case Kind::load: {
      const unsigned found = read_l1(access);
      traffic_.l1_load_sectors += sectors_in(access.sectors());
      traffic_.l1_load_hit_sectors += sectors_in(found);
      missing &= ~found;
      break;
    }
    case Kind::fetch: {
      const unsigned found = read_l1(access);
      traffic_.texture_sectors += sectors_in(access.sectors());
      traffic_.texture_hit_sectors += sectors_in(found);
      missing &= ~found;
      break;
    }
    case Kind::store:
    case Kind::surface_store:
      l1_.update(access.line(), access.sectors());
      break;
    case Kind::local_store:
      // read() allocates the line: only local memory is cached on stores.
      l1_.read(access.line(), access.sectors());
      break;
    case Kind::uncached_load:
    case Kind::atomic:
      break;
  }
  // Stores and atomics pass on all their sectors: L1 writes through, and atomics happen in L2.
  if (missing != 0) passed_on_.emplace_back(access.kind(), access.line(), missing);
}

MemorySide::MemorySide(std::size_t l2_bytes) : has_l2_(l2_bytes != 0), l2_(l2_bytes) {}

void MemorySide::serve(const std::vector<LineAccess>& accesses) {
  for (const LineAccess access : accesses) {
    switch (access.kind()) {
      case Kind::load:
      case Kind::uncached_load:
      case Kind::fetch:
        read(access);
        break;
      case Kind::store:
      case Kind::surface_store:
      case Kind::local_store:
        write(access);
        ++stored_lines_;
        break;
      case Kind::atomic:  // done in L2, which needs the old value
        read(access);
        write(access);
        break;
    }
  }
}

void MemorySide::read(LineAccess access) {
  const std::uint64_t asked = sectors_in(access.sectors());
  const std::uint64_t found = has_l2_ ? sectors_in(l2_.read(access.line(), access.sectors())) : 0;
  traffic_.l2_read_sectors += asked;
  traffic_.l2_hit_sectors += found;
  traffic_.dram_read_bytes += (asked - found) * kSectorBytes;
}

void MemorySide::write(LineAccess access) {
  const std::uint64_t asked = sectors_in(access.sectors());
  traffic_.l2_write_sectors += asked;
  if (has_l2_) {
    traffic_.l2_hit_sectors += sectors_in(l2_.write(access.line(), access.sectors()));
  } else {
    traffic_.dram_write_bytes += asked * kSectorBytes;
  }
}

void MemorySide::add(const AtomicLoads& atomics) {
  for (const auto& [line, load] : atomics) atomics_[line] += load;
}

AtomicLoad MemorySide::hottest_atomics() const {
  AtomicLoad most;
  for (const auto& [line, load] : atomics_) most.keep_most(load);
  return most;
}

CacheTraffic MemorySide::traffic() const {
  CacheTraffic traffic = traffic_;
  traffic.dram_write_bytes += l2_.evicted_dirty_sectors() * kSectorBytes;
  return traffic;
}

}  // namespace vgpu::exec
