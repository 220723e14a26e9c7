#include "vgpu/cost/machine_work.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "vgpu/analysis/liveness.hpp"
#include "vgpu/analysis/matrix_forms.hpp"
#include "vgpu/analysis/spelling.hpp"
#include "vgpu/cost/if_conversion.hpp"
#include "vgpu/cost/unrolled_loops.hpp"
#include "vgpu/state/decoded.hpp"
#include "vgpu/state/site_counts.hpp"

namespace vgpu::exec {
namespace {

constexpr std::size_t kRegisterBytes = 4;
constexpr std::uint16_t kClockSteps = 1;   // until the code after a read of the clock is issued
constexpr std::uint16_t kBranchSteps = 2;  // arithmetic latencies until the code after a branch is issued

/// Nominal latencies in clocks. They only decide which of several chains is the longest; the profile's own
/// latencies (model/profile.hpp) then turn the waits along that chain into time. The latencies of arithmetic
/// and fp64 are those that our chains of instructions measured on an H200; the others are round numbers of
/// the right order (grader/doc/validation.md has the measured ones).
constexpr std::uint32_t nominal_clocks(Wait wait) {
  switch (wait) {
    case Wait::arithmetic:
      return 4;
    case Wait::fp64:
      return 8;
    case Wait::special:
      return 20;
    case Wait::shared:
      return 30;
    case Wait::local:
      return 40;
    case Wait::global:
      return 400;
    case Wait::texture:
      return 450;
    case Wait::atomic:
      return 600;
    case Wait::barrier:
      return 20;
    case Wait::tensor:
      return 33;
  }
  return 0;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_type(const ptx::Instruction& instruction, std::initializer_list<std::string_view> types) {
  return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                     [&](const std::string& modifier) { return is_one_of(modifier, types); });
}

bool is_wide_integer(const ptx::Instruction& instruction) {
  return has_type(instruction, {"s64", "u64", "b64"});
}
bool is_double(const ptx::Instruction& instruction) { return has_type(instruction, {"f64"}); }
bool is_float(const ptx::Instruction& instruction) {
  return has_type(instruction, {"f32", "f16", "bf16", "f16x2", "bf16x2", "f32x2"});
}

bool is_memory(const ptx::Instruction& instruction) {
  const ptx::Unit unit = instruction.traits().unit;
  return is_matrix_access(instruction) || unit == ptx::Unit::memory || unit == ptx::Unit::texture;
}

bool is_matrix_store(const ptx::Instruction& instruction) {
  return is_matrix_access(instruction) &&
         (instruction.traits().access == ptx::Access::matrix_store || has_modifier(instruction, "store"));
}
bool is_matrix_load(const ptx::Instruction& instruction) {
  return is_matrix_access(instruction) && !is_matrix_store(instruction);
}
/// ldmatrix and stmatrix can omit the space.
bool is_in_shared(const ptx::Instruction& instruction) {
  const ptx::Access access = instruction.traits().access;
  return space_of(instruction) == ptx::Space::shared || access == ptx::Access::matrix_load ||
         access == ptx::Access::matrix_store;
}

constexpr InstructionWork all_on(Pipe pipe, int slots) {
  return {static_cast<std::uint8_t>(slots), pipe, static_cast<std::uint8_t>(slots)};
}

/// The code sizes here and below are those of machine code for sm_90 by ptxas 13.0: instructions on the
/// common path.
InstructionWork quotient(const ptx::Instruction& instruction) {
  if (is_double(instruction)) return all_on(Pipe::fp64, 12);
  if (is_float(instruction)) {
    const bool is_exact = has_modifier(instruction, "rn");
    return all_on(Pipe::fp32, is_exact ? 9 : 4);
  }
  return all_on(Pipe::integer, is_wide_integer(instruction) ? 70 : 16);
}

InstructionWork special_function(const ptx::Instruction& instruction) {
  if (is_double(instruction)) return all_on(Pipe::fp64, 12);
  // Without ftz, code before and after scales denormal operands.
  if (has_modifier(instruction, "approx"))
    return {static_cast<std::uint8_t>(has_modifier(instruction, "ftz") ? 1 : 4), Pipe::special, 1};
  return all_on(Pipe::fp32, 8);
}

InstructionWork conversion(const ptx::Instruction& instruction) {
  const bool has_float = is_float(instruction) || is_double(instruction);
  if (has_float) return all_on(Pipe::conversion, 1);
  // Between integers: adds or drops a register, or extends the sign.
  const bool sign_extends = instruction.modifiers.size() >= 2 &&
                            instruction.modifiers[instruction.modifiers.size() - 2] == "s64" &&
                            type_of(instruction) == ptx::Type::s32;
  return all_on(Pipe::integer, sign_extends ? 1 : 0);
}

InstructionWork memory(const ptx::Instruction& instruction) {
  if (space_of(instruction) == ptx::Space::param) return all_on(Pipe::none, 0);
  if (const auto fragment = fragment_access_of(instruction)) {
    // Each register that is transposed or packed takes one more instruction.
    const bool is_direct = fragment->unit == FragmentAccess::Unit::registers;
    const int slots = fragment->accesses() + (is_direct ? 0 : fragment->fragment.registers());
    return {static_cast<std::uint8_t>(slots), Pipe::load_store,
            static_cast<std::uint8_t>(fragment->accesses())};
  }
  return all_on(Pipe::load_store, 1);
}

/// One machine instruction for a product of 16 × 8.
InstructionWork matrix_product(const MatrixProduct& product) {
  using Factors = MatrixProduct::Factors;
  const MatrixShape& shape = product.shape;
  const int fma = shape.m * shape.n * shape.k;
  const auto slots = static_cast<std::uint8_t>(std::max(shape.m * shape.n / (16 * 8), 1));
  if (product.factors == Factors::doubles)
    return {slots, Pipe::tensor_fp64, static_cast<std::uint8_t>(fma / static_cast<int>(kTensorFp64Unit))};
  // In multiply-adds of f16, the unit of Pipe::tensor: one of tf32 costs two, one of bytes half of one.
  const int halves = product.factors == Factors::tf32    ? 2 * fma
                     : product.factors == Factors::bytes ? fma / 2
                                                         : fma;
  return {slots, Pipe::tensor, static_cast<std::uint8_t>(halves / static_cast<int>(kTensorUnit))};
}

InstructionWork arithmetic(const ptx::Instruction& instruction) {
  if (is_double(instruction)) return all_on(Pipe::fp64, 1);
  if (is_float(instruction)) return all_on(Pipe::fp32, 1);
  const bool multiplies = instruction.opcode == ptx::Opcode::mul || instruction.opcode == ptx::Opcode::mad;
  if (multiplies && has_modifier(instruction, "wide")) return all_on(Pipe::integer, 1);
  if (multiplies && is_wide_integer(instruction)) return all_on(Pipe::integer, 4);
  // An integer of 64 bits occupies two registers: an addition with carry out, then one with carry in.
  return all_on(Pipe::integer, is_wide_integer(instruction) ? 2 : 1);
}

std::optional<Wait> wait_of_load(ptx::Space space) {
  if (space == ptx::Space::param) return std::nullopt;
  if (space == ptx::Space::shared) return Wait::shared;
  if (space == ptx::Space::local || space == ptx::Space::constant) return Wait::local;
  return Wait::global;
}

std::optional<Wait> wait_of_unit(const ptx::Instruction& instruction) {
  const InstructionWork work = work_of(instruction);
  if (work.slots == 0) return std::nullopt;
  switch (work.pipe) {
    case Pipe::fp64:
      return Wait::fp64;
    case Pipe::tensor:
    case Pipe::tensor_fp64:
      return Wait::tensor;
    case Pipe::special:
    case Pipe::conversion:
      return Wait::special;
    case Pipe::fp32:
    case Pipe::integer:
    case Pipe::load_store:
    case Pipe::texture:
    case Pipe::none:
      return Wait::arithmetic;
  }
  return Wait::arithmetic;
}

bool waits_for_copies(const ptx::Instruction& instruction) {
  return has_modifier(instruction, "wait_group") || has_modifier(instruction, "wait_all");
}

/// The latency that the result incurs, if any.
std::optional<Wait> wait_of(const ptx::Instruction& instruction) {
  switch (instruction.traits().latency) {
    case ptx::Latency::load:
      if (instruction.traits().unit == ptx::Unit::texture) return Wait::texture;
      return wait_of_load(space_of(instruction));
    case ptx::Latency::atomic:
      return space_of(instruction) == ptx::Space::shared ? Wait::shared : Wait::atomic;
    case ptx::Latency::copy:
      return waits_for_copies(instruction) ? std::optional(Wait::global) : std::nullopt;
    case ptx::Latency::exchange:
      return Wait::shared;
    case ptx::Latency::barrier:
      return Wait::barrier;
    case ptx::Latency::matrix:
      if (is_matrix_store(instruction)) return std::nullopt;
      if (is_matrix_load(instruction)) return is_in_shared(instruction) ? Wait::shared : Wait::global;
      return wait_of_unit(instruction);
    case ptx::Latency::unit:
      return wait_of_unit(instruction);
  }
  return std::nullopt;
}

/// selp 1, 0: a predicate as a number.
bool is_flag(const ptx::Instruction& instruction) {
  const auto is_number = [&](std::size_t index, std::uint64_t bits) {
    const auto* number = index < instruction.operands.size()
                             ? std::get_if<ptx::Immediate>(&instruction.operands[index].value)
                             : nullptr;
    return number != nullptr && number->bits == bits;
  };
  return instruction.opcode == ptx::Opcode::selp && is_number(1, 1) && is_number(2, 0);
}

/// True for additions that are fused with the instruction before them: with a wide product (IMAD.WIDE) or a
/// shift (LEA). The addition of a flag becomes a predicated addition.
bool is_fused_with_previous(const ptx::Function& function, std::uint32_t index) {
  const ptx::Instruction& instruction = function.code[index];
  if (index == 0 || instruction.opcode != ptx::Opcode::add || is_float(instruction) || is_double(instruction))
    return false;
  const ptx::Instruction& before = function.code[index - 1];
  const bool takes = before.opcode == ptx::Opcode::shl ||
                     (before.opcode == ptx::Opcode::mul && has_modifier(before, "wide")) || is_flag(before);
  if (!takes) return false;
  const Uses product = uses_of(before), sum = uses_of(instruction);
  return !product.writes.empty() &&
         std::find(sum.reads.begin(), sum.reads.end(), product.writes[0]) != sum.reads.end();
}

/// A chain of instructions that need each other's results.
struct Chain {
  std::uint32_t clocks = 0;
  Waits waits;

  void add(Wait wait, unsigned times) {
    clocks += times * nominal_clocks(wait);
    std::uint16_t& count = waits[wait];
    count = static_cast<std::uint16_t>(std::min<unsigned>(count + times, UINT16_MAX));
  }
  void take_longer(const Chain& other) {
    if (other.clocks > clocks) *this = other;
  }
};

/// Finds the longest chain of a stretch: each instruction starts when its operands are ready.
class Schedule {
 public:
  explicit Schedule(std::size_t registers) : ready_(registers) {}

  void add(const ptx::Instruction& instruction, bool is_free) {
    const Uses uses = uses_of(instruction);
    Chain chain;
    for (const std::uint32_t reg : uses.reads) chain.take_longer(ready_[reg]);
    const ptx::Access access = instruction.traits().access;
    const bool is_barrier = instruction.traits().role == ptx::Role::barrier;
    const bool is_wait = access == ptx::Access::async_copy && waits_for_copies(instruction);
    const bool is_shared = is_in_shared(instruction);
    // Loads with nc promise that no thread writes the memory during the kernel (PTX ISA, "ld.global.nc"), so
    // they need not wait for stores.
    const bool is_load = (instruction.opcode == ptx::Opcode::ld && !has_modifier(instruction, "nc")) ||
                         is_matrix_load(instruction);
    const bool is_store = access == ptx::Access::store || access == ptx::Access::atomic ||
                          access == ptx::Access::reduction || is_matrix_store(instruction);
    // No access moves across a barrier, and a load does not overtake a store to its memory.
    if (is_memory(instruction) || is_barrier) chain.take_longer(barrier_);
    if (is_barrier || is_wait) chain.take_longer(started_);
    if (is_load) chain.take_longer(is_shared ? shared_stored_ : global_stored_);
    if (is_memory(instruction)) started_.take_longer(chain);
    if (is_store) (is_shared ? shared_stored_ : global_stored_).take_longer(chain);
    if (const auto wait = wait_of(instruction); wait && !is_free) {
      const unsigned steps = work_of(instruction).slots;
      const bool is_sequence = *wait == Wait::arithmetic || *wait == Wait::fp64;
      // The instructions of a sequence (a division, a 64-bit sum) need each other's results.
      chain.add(*wait, is_sequence ? std::max(steps, 1U) : 1);
    }
    if (is_barrier || is_wait) barrier_ = chain;
    // Lanes whose guard fails keep the old value.
    for (const std::uint32_t reg : uses.writes) {
      if (instruction.guard) chain.take_longer(ready_[reg]);
      ready_[reg] = chain;
    }
    longest_.take_longer(chain);
  }
  const Chain& longest() const { return longest_; }
  void clear() {
    std::fill(ready_.begin(), ready_.end(), Chain{});
    barrier_ = started_ = longest_ = global_stored_ = shared_stored_ = {};
  }

 private:
  std::vector<Chain> ready_;  ///< by register: the chain that its value depends on
  Chain barrier_;             ///< the chain up to the last barrier
  Chain started_;             ///< the longest chain up to a memory access
  /// The chains up to the last stores. Later loads wait for them, because the addresses can be the same.
  Chain global_stored_, shared_stored_;
  Chain longest_;
};

/// The beginnings of stretches: after remaining branches, and at their targets.
std::vector<bool> begins_of(const ptx::Function& function, const ptx::ControlFlow& flow) {
  const auto size = static_cast<std::uint32_t>(function.code.size());
  const std::vector<bool> predicated = predicated_branches(function, flow);
  std::vector<bool> vanishes = predicated;  // with an if, the jump over its else
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t target = flow.target[i];
    if (!predicated[i] || target == ptx::ControlFlow::kNone || target <= i + 1 || target > size) continue;
    const ptx::Instruction& last = function.code[target - 1];
    if (last.traits().role == ptx::Role::branch && !last.guard) vanishes[target - 1] = true;
  }
  std::vector<bool> begins(size + 1);
  begins[0] = true;
  const auto begin_at = [&](std::uint32_t at) {
    if (at <= size) begins[at] = true;
  };
  for (std::uint32_t i = 0; i < size; ++i) {
    if (vanishes[i]) continue;
    const ptx::Role role = function.code[i].traits().role;
    if (reads_clock(function.code[i])) begin_at(i + 1);
    if (role == ptx::Role::branch) {
      begin_at(flow.target[i]);
      begin_at(i + 1);
    } else if (role == ptx::Role::indexed_branch) {
      for (const std::uint32_t target : flow.branch_lists[flow.target[i]]) begin_at(target);
      begin_at(i + 1);
    } else if (role == ptx::Role::call) {
      begin_at(i + 1);
    }
  }
  return begins;
}

/// The registers of 32 bits that the global loads of [begin, end) write.
unsigned registers_of_loads(const ptx::Function& function, std::uint32_t begin, std::uint32_t end) {
  std::size_t bytes = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    if (wait_of(function.code[i]) != Wait::global) continue;
    for (const std::uint32_t reg : uses_of(function.code[i]).writes)
      bytes += std::max<std::size_t>(ptx::size_of(function.registers[reg].type), kRegisterBytes);
  }
  return static_cast<unsigned>(bytes / kRegisterBytes);
}

/// `schedule` is only used for its memory.
Waits waits_of(const ptx::Function& function, const ptx::ControlFlow& flow, std::uint32_t begin,
               std::uint32_t end, Schedule& schedule) {
  const std::uint8_t executions = is_unrolled(function, flow, begin, end) ? kUnrolling : 1;
  schedule.clear();
  for (unsigned iteration = 0; iteration < executions; ++iteration) {
    for (std::uint32_t i = begin; i < end; ++i)
      schedule.add(function.code[i], is_fused_with_previous(function, i));
  }
  Waits waits = schedule.longest().waits;
  waits.executions = executions;
  if (executions > 1) {
    // Loads for which no register is left wait for those before them.
    const unsigned registers = executions * registers_of_loads(function, begin, end);
    const auto batches = (registers + kRegistersOfLoads - 1) / kRegistersOfLoads;
    waits[Wait::global] = std::max(waits[Wait::global], static_cast<std::uint16_t>(batches));
  }
  const ptx::Instruction& last = function.code[end - 1];
  if (last.traits().role == ptx::Role::branch) waits[Wait::arithmetic] += kBranchSteps;
  if (reads_clock(last)) waits[Wait::arithmetic] += kClockSteps;
  return waits;
}

}  // namespace

InstructionWork work_of(const ptx::Instruction& instruction) {
  switch (instruction.traits().unit) {
    case ptx::Unit::none:
      return all_on(Pipe::none, 0);
    case ptx::Unit::logic:
      return type_of(instruction) == ptx::Type::pred ? all_on(Pipe::none, 0) : arithmetic(instruction);
    case ptx::Unit::memory:
      return memory(instruction);
    case ptx::Unit::matrix:
      if (is_matrix_access(instruction)) return memory(instruction);
      if (const auto product = matrix_product_of(instruction)) return matrix_product(*product);
      return arithmetic(instruction);
    case ptx::Unit::conversion:
      return conversion(instruction);
    case ptx::Unit::quotient:
      return quotient(instruction);
    case ptx::Unit::special_function:
      return special_function(instruction);
    case ptx::Unit::texture:
      return all_on(Pipe::texture, 1);
    case ptx::Unit::exchange:
      return all_on(Pipe::load_store, 1);
    case ptx::Unit::bit_search:
      return all_on(Pipe::special, 1);
    case ptx::Unit::issue:
      return all_on(Pipe::none, 1);
    case ptx::Unit::arithmetic:
      return arithmetic(instruction);
  }
  return arithmetic(instruction);
}

std::vector<Stretch> stretches_of(const ptx::Function& function, const ptx::ControlFlow& flow) {
  const std::vector<bool> begins = begins_of(function, flow);
  const auto size = static_cast<std::uint32_t>(function.code.size());
  std::vector<Stretch> stretches;
  Schedule schedule(function.registers.size());
  for (std::uint32_t begin = 0, end = 0; begin < size; begin = end) {
    for (end = begin + 1; end < size && !begins[end];) ++end;
    stretches.push_back({begin, end, waits_of(function, flow, begin, end, schedule)});
  }
  return stretches;
}

WorkSites work_sites(const ptx::Function& function, const ptx::ControlFlow& flow,
                     const std::vector<std::uint32_t>& code_of,
                     const std::unordered_map<std::uint32_t, std::uint8_t>& merged) {
  const std::vector<bool> predicated = predicated_branches(function, flow);
  WorkSites sites;
  for (std::uint32_t i = 0; i < function.code.size(); ++i) {
    WorkSite site{code_of[i], work_of(function.code[i]), false, {}};
    const auto merging = merged.find(i);
    // 0 bytes: the wide access of another instruction includes this one.
    const bool goes_with_another = merging != merged.end() && merging->second == 0;
    if (goes_with_another || predicated[i] || is_fused_with_previous(function, i))
      site.work = all_on(Pipe::none, 0);
    sites.push_back(site);
  }
  for (const Stretch& stretch : stretches_of(function, flow)) {
    sites[stretch.begin].begins_stretch = true;
    sites[stretch.begin].waits = stretch.waits;
  }
  // Instructions that vanish need no site, unless the waits of a stretch are recorded there.
  std::erase_if(sites, [](const WorkSite& site) {
    return site.code == kNowhere || (site.work.slots == 0 && !site.begins_stretch);
  });
  return sites;
}

Work work_of(const Program& program, const SiteCounts& counts) {
  Work work;
  for (const WorkSite& site : *program.work) {
    const std::uint64_t warps = counts.instructions[site.code].warps;
    const std::uint64_t slots = warps * site.work.slots;
    work.issued += slots;
    if (site.work.pipe != Pipe::none) work[site.work.pipe] += warps * site.work.on_pipe;
    for (std::size_t i = 0; i < kWaits; ++i)
      work.waits[i] += warps * site.waits.latencies[i] / site.waits.executions;
  }
  return work;
}

}  // namespace vgpu::exec
