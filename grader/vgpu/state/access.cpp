#include "vgpu/state/access.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

#include "vgpu/state/access_cost.hpp"

namespace vgpu::exec {
namespace {

constexpr int kGroup = 8;  // lanes; four groups make a warp
constexpr unsigned kBanks = 32;
constexpr unsigned kBankBytes = 4;

Memo::Pattern pattern_of(const Memo& memo, std::size_t element_bytes) {
  if (memo.mask != kFullMask) return Memo::Pattern::scattered;
  bool contiguous = true;
  bool uniform = true;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const std::uint64_t first = memo.delta[lane / kGroup * kGroup];
    contiguous &= memo.delta[lane] == first + lane % kGroup * element_bytes;
    uniform &= memo.delta[lane] == first;
  }
  if (contiguous) return Memo::Pattern::groups_contiguous;
  return uniform ? Memo::Pattern::groups_uniform : Memo::Pattern::scattered;
}

/// The number of distinct values of `key(lane)` over the lanes in `mask`. Neighbours mostly have the same
/// key, so the last value is compared first.
template <class Key>
std::uint32_t count_distinct(std::uint32_t mask, Key key) {
  std::array<std::uint64_t, kWarpLanes> seen;
  std::uint32_t count = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t value = key(std::countr_zero(rest));
    if (count != 0 && seen[count - 1] == value) continue;
    const auto* const end = seen.data() + count;
    if (std::find(static_cast<const std::uint64_t*>(seen.data()), static_cast<const std::uint64_t*>(end),
                  value) == end) {
      seen[count++] = value;
    }
  }
  return count;
}

/// Whether no two lanes access the same bank, except neighbours that access the same word. Word w is stored
/// in bank w mod 32 (CUDA C++ Programming Guide, "Shared Memory").
bool are_in_different_banks(const Memo& memo, std::uint32_t mask, std::uint64_t base) {
  static_assert(kBanks == 32);
  std::uint32_t banks = 0, used_twice = 0;
  std::uint64_t last = ~std::uint64_t{0};
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t word = (base + memo.delta[std::countr_zero(rest)]) / kBankBytes;
    if (std::exchange(last, word) == word) continue;
    const std::uint32_t bank = 1U << word % kBanks;
    used_twice |= banks & bank;
    banks |= bank;
  }
  return used_twice == 0;
}

/// The largest number of distinct words that one bank has to deliver to the lanes in `mask`: the passes that
/// the request takes, since a bank delivers one word per pass, to any number of lanes.
std::uint32_t conflict_degree(const Memo& memo, std::uint32_t mask, std::uint64_t base, std::size_t words) {
  if (words == 1 && mask != 0 && are_in_different_banks(memo, mask, base)) return 1;
  assert(words <= kBanks);  // then a lane adds at most one word per bank, and kWarpLanes places suffice
  std::array<std::array<std::uint64_t, kWarpLanes>, kBanks> seen;
  std::array<std::uint32_t, kBanks> count{};
  std::uint32_t degree = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t first = (base + memo.delta[std::countr_zero(rest)]) / kBankBytes;
    for (std::uint64_t word = first; word < first + words; ++word) {
      auto& in_bank = seen[word % kBanks];
      std::uint32_t& known = count[word % kBanks];
      if (std::find(in_bank.begin(), in_bank.begin() + known, word) != in_bank.begin() + known) continue;
      in_bank[known++] = word;
      degree = std::max(degree, known);
    }
  }
  return degree;
}

/// Distinct 32-byte sectors that lanes at base + delta touch. An aligned access of at most 32 bytes touches
/// exactly one.
AccessCost global_cost(const Memo& memo, std::uint64_t base) {
  const auto sector = [&](int lane) { return (base + memo.delta[lane]) / kSectorBytes; };
  return {.units = static_cast<std::uint16_t>(count_distinct(memo.mask, sector))};
}

/// Constant memory serves different addresses one after another.
AccessCost constant_cost(const Memo& memo) {
  const auto address = [&](int lane) { return memo.delta[lane]; };
  return {.units = static_cast<std::uint16_t>(count_distinct(memo.mask, address))};
}

/// Whether every lane of `lanes` accesses the same address as its partner, the lane with this bit of the lane
/// number flipped, if `lanes` contains the partner.
bool neighbours_agree(const Memo& memo, std::uint32_t lanes, int distance) {
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const int other = lane ^ distance;
    if ((lanes >> other & 1U) != 0 && memo.delta[lane] != memo.delta[other]) return false;
  }
  return true;
}

/// One pass delivers up to 32 words: it serves a whole warp of 4-byte accesses, half a warp of 8-byte
/// accesses, a quarter of 16-byte accesses. If neighbouring lanes access the same address, two such groups
/// share a pass. Measured on an H200: a 16-byte load of one address by each half of a warp takes two
/// wavefronts.
AccessCost count_wavefronts(const Memo& memo, std::uint64_t base, std::size_t bytes) {
  const std::size_t words = std::max<std::size_t>(bytes / kBankBytes, 1);
  const auto lanes_at_once = static_cast<unsigned>(kWarpLanes / words);
  AccessCost wavefronts;
  const auto serve = [&](std::uint32_t lanes) {
    wavefronts.units += static_cast<std::uint16_t>(conflict_degree(memo, lanes, base, words));
    wavefronts.ideal += lanes != 0 ? 1 : 0;
  };
  if (words == 1) {
    serve(memo.mask);
    return wavefronts;
  }
  const std::uint32_t group = kFullMask >> (kWarpLanes - lanes_at_once);
  for (unsigned first = 0; first < kWarpLanes; first += 2 * lanes_at_once) {
    const std::uint32_t low = memo.mask & (group << first);
    const std::uint32_t high = memo.mask & (group << (first + lanes_at_once));
    if (neighbours_agree(memo, low | high, 1) || neighbours_agree(memo, low | high, 2)) {
      serve(low | high);
    } else {
      serve(low);
      serve(high);
    }
  }
  return wavefronts;
}

AccessCost shared_cost(const Memo& memo, std::uint64_t base) {
  AccessCost cost = count_wavefronts(memo, base, memo.form.bytes);
  const bool is_merged = memo.merged_bytes != 0 && memo.merged_bytes != Memo::kNotMerged;
  cost.merged = is_merged ? count_wavefronts(memo, base, memo.merged_bytes).units : cost.units;
  return cost;
}

void count_shared(SharedTraffic& traffic, const Memo& memo, const AccessCost& cost, std::uint64_t times) {
  traffic.requests += times;
  traffic.wavefronts += times * cost.units;
  traffic.bank_conflicts += times * static_cast<unsigned>(cost.units - cost.ideal);
  traffic.requested_bytes += times * static_cast<unsigned>(std::popcount(memo.mask)) * memo.form.bytes;
  if (memo.merged_bytes == 0) return;
  traffic.merged_requests += times;
  traffic.merged_wavefronts += times * cost.merged;
}

void count_global(SectorTraffic& traffic, const Memo& memo, const AccessCost& cost, std::uint64_t times) {
  traffic.requests += times;
  traffic.sectors += times * cost.units;
  traffic.requested_bytes += times * static_cast<unsigned>(std::popcount(memo.mask)) * memo.form.bytes;
}

/// Whether all active lanes' addresses are in one row of local memory, as in most loops over a local array.
bool are_in_one_row(const Warp& warp, const Addresses& addresses) {
  const std::uint64_t first = addresses[warp.first_lane()];
  std::uint64_t difference = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const auto on = static_cast<std::uint64_t>(static_cast<std::int32_t>(warp.on[lane]));
    difference |= (addresses[lane] ^ first) & on;
  }
  return difference < kBankBytes;
}

/// Sectors of local memory in which the active lanes' addresses are. Row r of local memory holds word r of
/// all lanes: 128 bytes, one sector per group of lanes (CUDA C++ Programming Guide, "Local Memory").
std::uint32_t local_sectors(const Warp& warp, const Addresses& addresses) {
  const bool is_one_row = are_in_one_row(warp, addresses);
  const auto row = [&](int lane) { return addresses[lane] / kBankBytes; };
  std::uint32_t sectors = 0;
  for (int first = 0; first < kWarpLanes; first += kGroup) {
    const std::uint32_t lanes = warp.mask & (0xFFU << first);
    sectors += is_one_row ? (lanes != 0 ? 1 : 0) : count_distinct(lanes, row);
  }
  return sectors;
}

/// Any other load that is given the address of a constant is a load from global memory for the hardware, too.
bool is_constant_load(const Core& core, const Memo& memo) {
  return memo.constant && core.program().origins[memo.origin].spelled.starts_with("ld.const");
}

/// So few parameters are pointers and sizes, not data. A kernel reads them at computed addresses if it
/// captures a structure of them by reference.
bool is_small_parameter(const Core& core, const Memo& memo) {
  constexpr std::size_t kMostBytes = 256;
  return memo.form.space == ptx::Space::param && core.launch->parameters.size() <= kMostBytes;
}

/// The memory's kind decides what an access costs.
void set_constant(Memo& memo, bool is_constant) {
  if (std::exchange(memo.constant, is_constant) != is_constant) memo.cost = {};
}

Fault::Nearest nearest_to(std::uint64_t address, std::size_t size, std::uint64_t start, std::uint64_t bytes) {
  Fault::Nearest nearest{.start = start, .size_bytes = bytes};
  const std::uint64_t end = start + bytes;
  const auto before = static_cast<std::int64_t>(start - address);
  if (before > 0) {
    nearest.distance_bytes = -before;
  } else if (address + size > end) {
    // Measured to the end of the access, so that the first element past the end is one element away.
    nearest.distance_bytes = static_cast<std::int64_t>(address + size - end);
  }
  return nearest;
}

FaultKind global_fault(const GlobalMemory& memory, std::uint64_t address, std::size_t size, bool is_store,
                       bool& wrong) {
  wrong = true;
  // As hardware, which finds a wrong alignment before it translates the address.
  if (address % size != 0) return FaultKind::misaligned;
  const Segment* near = memory.near(address);
  const Segment* holding = memory.holding(address, size);
  if (holding == nullptr) {
    const bool freed = near != nullptr && !near->live() && address >= near->start && address < near->end();
    return freed ? FaultKind::use_after_free : FaultKind::out_of_bounds;
  }
  if (is_store && holding->purpose == Purpose::constant) return FaultKind::write_to_constant;
  wrong = false;
  return FaultKind::out_of_bounds;
}

/// Registers for addresses of shared, local and parameter memory have 32 bits in most code: negative offsets
/// have wrapped around.
std::uint64_t offset_in_window(std::uint64_t address) {
  const auto low = static_cast<std::uint32_t>(address);
  return address == low ? static_cast<std::uint64_t>(static_cast<std::int32_t>(low)) : address;
}

/// The name of the variable nearest to the offset; the first variable's for a negative offset.
std::string nearest_variable(const std::vector<PlacedVariable>& variables, std::uint64_t offset) {
  if (static_cast<std::int64_t>(offset) < 0) offset = 0;
  const PlacedVariable* variable = variable_at(variables, offset);
  return variable != nullptr ? variable->name : "";
}

void describe(Fault& fault, ptx::Space space, bool is_store, std::uint64_t address, std::size_t size) {
  fault.space = space;
  fault.is_store = is_store;
  fault.address = address;
  fault.access_bytes = static_cast<std::uint32_t>(size);
}

}  // namespace

AccessCost cost_of_access(const AccessForm& form, std::uint32_t lanes, const Addresses& addresses) {
  Memo memo;
  memo.form = form;
  memo.mask = lanes;
  memo.delta = addresses;
  return form.space == ptx::Space::shared ? shared_cost(memo, 0) : global_cost(memo, 0);
}

void learn(const Warp& warp, const Decoded& d, const Addresses& addresses, const AccessForm& form) {
  Memo& memo = warp.core->memos[d.memo];
  settle(*warp.core, d.memo);
  memo.cost = {};
  memo.form = form;
  memo.origin = d.origin;
  const std::uint64_t base = addresses[warp.first_lane()];
  memo.mask = warp.mask;
  ++memo.learned;
  memo.alignment = 0;
  // A lane can access memory below that of the first active lane.
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const std::uint64_t delta = warp.on[lane] != 0 ? addresses[lane] - base : 0;
    memo.delta[lane] = delta;
    memo.delta32[lane] = static_cast<std::uint32_t>(delta);
    memo.alignment |= delta;
    lowest = std::min(lowest, static_cast<std::int64_t>(delta));
    highest = std::max(highest, static_cast<std::int64_t>(delta));
  }
  memo.lowest = static_cast<std::uint64_t>(lowest);
  memo.highest = static_cast<std::uint64_t>(highest);
  memo.pattern = pattern_of(memo, form.element_bytes);
}

void settle(Core& core, std::uint32_t index) {
  Memo& memo = core.memos[index];
  if (memo.form.bytes == 0) return;
  MemoryCounts& counts = core.sites.memory[index];
  // The base is a multiple of the access's size. Adding 32 bytes to all addresses changes neither the number
  // of sectors nor that of bank conflicts, so bases that are equal modulo 32 cost the same.
  for (std::uint64_t base = 0; base < kSectorBytes; base += memo.form.bytes) {
    const std::uint64_t times = std::exchange(memo.seen[base], 0);
    if (times == 0 || is_small_parameter(core, memo)) continue;
    counts.origin = memo.origin;
    counts.traffic = memo.form.traffic;
    AccessCost& cost = memo.cost[base];
    if (memo.form.space == ptx::Space::shared) {
      if (cost.units == 0) cost = shared_cost(memo, base);
      count_shared(counts.shared, memo, cost, times);
    } else if (memo.form.space == ptx::Space::param || is_constant_load(core, memo)) {
      if (cost.units == 0) cost = constant_cost(memo);
      counts.constant_requests += times;
      counts.constant_passes += times * cost.units;
    } else {
      if (cost.units == 0) cost = global_cost(memo, base);
      count_global(counts.global, memo, cost, times);
    }
  }
}

void count_scattered(Core& core, const Decoded& d, std::uint64_t base) {
  settle(core, d.memo);
  Memo& memo = core.memos[d.memo];
  set_constant(memo, false);
  memo.seen[base % memo.seen.size()] += 1;
}

void count_local(const Warp& warp, const Decoded& d, const Addresses& addresses, const AccessForm& form) {
  MemoryCounts& counts = warp.core->sites.memory[d.memo];
  counts.origin = d.origin;
  counts.traffic = form.traffic;
  const std::uint32_t rows = std::max<std::uint32_t>(form.bytes / kBankBytes, 1);
  counts.local.requests += 1;
  counts.local.sectors += std::uint64_t{rows} * local_sectors(warp, addresses);
  counts.local.requested_bytes += std::uint64_t{warp.active} * form.bytes;
}

bool locate(Core& core, const Decoded& d, std::uint64_t base, std::size_t size) {
  Memo& memo = core.memos[d.memo];
  // Segments have at most 2^35 bytes, so larger differences cannot be inside one.
  if (memo.highest - memo.lowest >= kAllocationStart) return false;
  const Segment* segment =
      core.memory->holding(base + memo.lowest, static_cast<std::size_t>(memo.highest - memo.lowest) + size);
  if (segment == nullptr) return false;
  settle(core, d.memo);  // constant memory is counted separately
  memo.start = segment->start;
  memo.end = segment->end();
  memo.host = segment->data.get();
  memo.allocation = static_cast<std::uint32_t>(segment_number(segment->start));
  set_constant(memo, segment->purpose == Purpose::constant);
  return true;
}

const Decoded* check_global(Warp& warp, const Decoded& d, const Addresses& addresses, std::size_t size,
                            bool is_store) {
  const GlobalMemory& memory = *warp.core->memory;
  int first = -1;
  FaultKind kind{};
  std::uint32_t count = 0;
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    bool wrong = false;
    const FaultKind found = global_fault(memory, addresses[lane], size, is_store, wrong);
    if (!wrong) continue;
    if (first < 0) {
      first = lane;
      kind = found;
    }
    count += found == kind ? 1 : 0;
  }
  if (first < 0) return nullptr;
  raise(warp, d, kind, first, count);
  Fault& fault = warp.core->fault;
  describe(fault, ptx::Space::global, is_store, addresses[first], size);
  if (const Segment* near = memory.near(addresses[first])) {
    fault.nearest = nearest_to(addresses[first], size, near->start, near->size);
    fault.nearest->ordinal = near->ordinal;
  }
  return nullptr;
}

const Decoded* raise_window_fault(Warp& warp, const Decoded& d, const Addresses& addresses, std::size_t size,
                                  bool is_store, ptx::Space space, std::uint64_t limit) {
  int first = -1;
  FaultKind kind{};
  std::uint32_t count = 0;
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = addresses[lane];
    // The first comparison keeps `limit - size` from wrapping.
    const bool outside = size > limit || address > limit - size;
    if (!outside && address % size == 0) continue;
    const FaultKind found = address % size != 0 ? FaultKind::misaligned : FaultKind::out_of_bounds;
    if (first < 0) {
      first = lane;
      kind = found;
    }
    count += found == kind ? 1 : 0;
  }
  assert(first >= 0);  // the caller has seen a wrong address
  raise(warp, d, kind, first, count);
  Fault& fault = warp.core->fault;
  const std::uint64_t offset = offset_in_window(addresses[first]);
  describe(fault, space, is_store, offset, size);
  fault.nearest = nearest_to(offset, size, 0, limit);
  if (space == ptx::Space::shared)
    fault.variable = nearest_variable(warp.core->program().shared_variables, offset);
  return nullptr;
}

}  // namespace vgpu::exec
