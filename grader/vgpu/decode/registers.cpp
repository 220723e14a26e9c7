#include "vgpu/decode/registers.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "vgpu/analysis/liveness.hpp"

namespace vgpu::exec {
namespace {

constexpr std::uint32_t kPredicateBytes = 4;
constexpr std::size_t kMaxSaved = std::size_t{1} << 20U;  // by all calls of a function together

bool is_predicate(const ptx::RegisterDeclaration& reg) { return reg.type == ptx::Type::pred; }

/// The size of a vector of 32 lanes.
std::uint32_t vector_bytes(const ptx::RegisterDeclaration& reg) {
  return (size_of(reg.type) == 8 ? 8U : 4U) * kWarpLanes;
}

/// The code between the first and the last use of a register. Instruction i reads at 2i and writes at 2i + 1,
/// so that a result can take the place of an operand that is not read again.
struct Interval {
  std::uint32_t reg = 0;
  std::uint32_t first = UINT32_MAX, last = 0;

  bool used() const { return first <= last; }
  void include(std::uint32_t position) {
    first = std::min(first, position);
    last = std::max(last, position);
  }
};

std::vector<Interval> intervals_of(const ptx::Function& function, const Liveness& liveness) {
  std::vector<Interval> intervals(function.registers.size());
  for (std::uint32_t reg = 0; reg < intervals.size(); ++reg) intervals[reg].reg = reg;
  for (const Liveness::Block& block : liveness.blocks()) {
    for (std::uint32_t reg = 0; reg < intervals.size(); ++reg) {
      if (block.live_in[reg]) intervals[reg].include(2 * block.begin);
      if (block.live_out[reg]) intervals[reg].include(2 * block.end);
    }
  }
  for (std::uint32_t i = 0; i < function.code.size(); ++i) {
    const Uses uses = uses_of(function.code[i]);
    for (const std::uint32_t reg : uses.reads) intervals[reg].include(2 * i);
    for (const std::uint32_t reg : uses.writes) intervals[reg].include(2 * i + 1);
  }
  return intervals;
}

/// Poletto and Sarkar's linear scan, without spilling. Vectors of 4 and of 8 bytes per lane have separate
/// places, because a conversion must not overwrite operands of another width that it still reads.
void place_by_linear_scan(const ptx::Function& function, std::vector<Interval> intervals,
                          RegisterPlaces& places) {
  std::erase_if(intervals, [&](const Interval& interval) {
    return !interval.used() || is_predicate(function.registers[interval.reg]);
  });
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
    return std::tie(a.first, a.reg) < std::tie(b.first, b.reg);
  });
  struct Active {
    std::uint32_t last, offset, bytes;
    bool operator>(const Active& other) const {
      return std::tie(last, offset) > std::tie(other.last, other.offset);
    }
  };
  std::priority_queue<Active, std::vector<Active>, std::greater<>> active;
  std::vector<std::uint32_t> free_narrow, free_wide;
  const auto free_of = [&](std::uint32_t bytes) -> auto& {
    return bytes == 8 * kWarpLanes ? free_wide : free_narrow;
  };
  for (const Interval& interval : intervals) {
    for (; !active.empty() && active.top().last < interval.first; active.pop()) {
      free_of(active.top().bytes).push_back(active.top().offset);
    }
    const std::uint32_t bytes = vector_bytes(function.registers[interval.reg]);
    auto& free = free_of(bytes);
    std::uint32_t offset = places.bytes;
    if (free.empty()) {
      places.bytes += bytes;
    } else {
      offset = free.back();
      free.pop_back();
    }
    places.offsets[interval.reg] = offset;
    active.push({interval.last, offset, bytes});
  }
}

void place_predicates(const ptx::Function& function, RegisterPlaces& places) {
  places.offsets.assign(function.registers.size(), 0);
  for (std::size_t reg = 0; reg < function.registers.size(); ++reg) {
    if (!is_predicate(function.registers[reg])) continue;
    places.offsets[reg] = places.bytes;
    places.bytes += kPredicateBytes;
  }
  places.bytes = (places.bytes + kVectorAlignment - 1) / kVectorAlignment * kVectorAlignment;
}

RegisterPlace place_of(const ptx::Function& function, const RegisterPlaces& places, std::uint32_t reg) {
  const auto& declaration = function.registers[reg];
  return {places.offsets[reg], is_predicate(declaration) ? kPredicateBytes : vector_bytes(declaration)};
}

void save_live(RegisterUse& use, const ptx::Function& function, std::uint32_t instruction,
               const std::vector<bool>& live) {
  if (function.is_entry || function.code[instruction].opcode != ptx::Opcode::call || use.too_many_saved)
    return;
  auto& saved = use.live_after_call[instruction];
  for (std::uint32_t reg = 0; reg < live.size(); ++reg) {
    if (live[reg]) saved.push_back(place_of(function, use.places, reg));
  }
  use.saved_count += saved.size();
  use.too_many_saved = use.saved_count > kMaxSaved;
}

/// The register is read.
std::uint32_t first_read(const ptx::Function& function, std::uint32_t reg) {
  const auto reads = [&](const ptx::Instruction& instruction) {
    const Uses uses = uses_of(instruction);
    return std::find(uses.reads.begin(), uses.reads.end(), reg) != uses.reads.end();
  };
  const auto found = std::find_if(function.code.begin(), function.code.end(), reads);
  return static_cast<std::uint32_t>(found - function.code.begin());
}

/// The fallback: each register has its own place and counts as unwritten.
RegisterUse use_of_everything(const ptx::Function& function, std::uint32_t start) {
  RegisterUse use;
  use.places.bytes = start;
  use.result_needed.assign(function.code.size(), true);
  place_predicates(function, use.places);
  for (std::uint32_t reg = 0; reg < function.registers.size(); ++reg) {
    if (!is_predicate(function.registers[reg])) {
      use.places.offsets[reg] = use.places.bytes;
      use.places.bytes += vector_bytes(function.registers[reg]);
    }
    use.unwritten.push_back(place_of(function, use.places, reg));
  }
  const std::vector<bool> all(function.registers.size(), true);
  for (std::uint32_t i = 0; i < function.code.size(); ++i) save_live(use, function, i, all);
  use.registers_per_thread = (use.places.bytes - start) / (4 * kWarpLanes);
  return use;
}

/// Compiled code has the blocks of a loop in one stretch, which ends with the branch back.
std::uint32_t carried_words_of(const ptx::Function& function, const Liveness& liveness) {
  const auto& blocks = liveness.blocks();
  std::uint32_t most = 0;
  for (std::size_t last = 0; last < blocks.size(); ++last) {
    for (const std::uint32_t first : blocks[last].successors) {
      if (first > last) continue;
      std::vector<bool> changed(function.registers.size(), false);
      for (std::uint32_t i = blocks[first].begin; i < blocks[last].end; ++i)
        for (const std::uint32_t reg : uses_of(function.code[i]).writes) changed[reg] = true;
      std::uint32_t carried = 0;
      for (std::size_t reg = 0; reg < changed.size(); ++reg) {
        const ptx::Type type = function.registers[reg].type;
        const bool is_word = type != ptx::Type::pred && size_of(type) == 4;
        carried += changed[reg] && is_word && blocks[first].live_in[reg] ? 1 : 0;
      }
      most = std::max(most, carried);
    }
  }
  return most;
}

}  // namespace

RegisterUse analyse_registers(const ptx::Function& function, const ptx::ControlFlow& flow,
                              std::uint32_t start) {
  const Liveness liveness(function, flow);
  if (!liveness.known()) return use_of_everything(function, start);
  RegisterUse use;
  use.places.bytes = start;
  use.result_needed.assign(function.code.size(), false);
  place_predicates(function, use.places);
  const std::uint32_t predicate_bytes = use.places.bytes;
  place_by_linear_scan(function, intervals_of(function, liveness), use.places);
  use.registers_per_thread = (use.places.bytes - predicate_bytes) / (4 * kWarpLanes);
  // No more than registers_per_thread; a block of 1,024 threads has 64 for each.
  constexpr std::uint32_t kOfLargestBlock = 64;
  if (use.registers_per_thread > kOfLargestBlock) use.carried_words = carried_words_of(function, liveness);
  liveness.for_each_instruction([&](std::uint32_t index, const std::vector<bool>& live) {
    for (const std::uint32_t reg : uses_of(function.code[index]).writes) {
      if (live[reg]) use.result_needed[index] = true;
    }
    save_live(use, function, index, live);
  });
  for (std::uint32_t reg = 0; reg < function.registers.size(); ++reg) {
    if (!liveness.live_at_entry()[reg]) continue;
    use.unwritten.push_back(place_of(function, use.places, reg));
    if (function.is_entry) use.unset.push_back({use.unwritten.back(), first_read(function, reg)});
  }
  return use;
}

}  // namespace vgpu::exec
