#include "vgpu/analysis/approximations.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "vgpu/analysis/liveness.hpp"
#include "vgpu/analysis/spelling.hpp"
#include "vgpu/ptx/control_flow.hpp"

namespace vgpu::exec {
namespace {

constexpr std::size_t kSpaces = static_cast<std::size_t>(ptx::Space::surface) + 1;

/// The memory that holds results, by state space. Generic addresses reach all of them.
class TaintedSpaces {
 public:
  void add(ptx::Space space) { space == ptx::Space::generic ? holds_.fill(true) : mark(space); }
  bool contains(ptx::Space space) const {
    if (space != ptx::Space::generic) return holds_[static_cast<std::size_t>(space)];
    return std::find(holds_.begin(), holds_.end(), true) != holds_.end();
  }
  friend bool operator==(const TaintedSpaces&, const TaintedSpaces&) = default;

 private:
  void mark(ptx::Space space) {
    holds_[static_cast<std::size_t>(space)] = true;
    holds_[static_cast<std::size_t>(ptx::Space::generic)] = true;
  }
  std::array<bool, kSpaces> holds_{};
};

/// Registers in the addresses of an instruction, also those in [t, {x, y}].
void add_address_registers(const ptx::Operand& operand, std::vector<std::uint32_t>& registers) {
  if (const auto* address = std::get_if<ptx::Address>(&operand.value)) {
    if (const auto* base = std::get_if<ptx::Register>(&address->base)) registers.push_back(base->index);
  } else if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
    const bool is_fetch =
        !vector->elements.empty() && std::holds_alternative<ptx::Address>(vector->elements.front().value);
    for (const ptx::Operand& element : vector->elements) {
      add_address_registers(element, registers);
      const auto* coordinate = std::get_if<ptx::Register>(&element.value);
      if (is_fetch && coordinate != nullptr) registers.push_back(coordinate->index);
    }
  }
}

/// The instructions that only some threads execute because of the branch at `branch`: those that can follow
/// before `meet`, where the threads meet again; all that can follow if threads can leave before that.
std::vector<std::uint32_t> depending_on(const ptx::Function& function, const ptx::ControlFlow& flow,
                                        std::uint32_t branch, std::uint32_t meet) {
  std::vector<bool> seen(function.code.size() + 1);
  std::vector<std::uint32_t> reached, pending = {branch};
  bool leaves = false;
  while (!pending.empty()) {
    const std::uint32_t from = pending.back();
    pending.pop_back();
    for (const std::uint32_t next : successors_of(function, flow, from)) {
      if (next == meet || next >= function.code.size() || seen[next]) continue;
      seen[next] = true;
      leaves |= function.code[next].traits().role == ptx::Role::leave;
      reached.push_back(next);
      pending.push_back(next);
    }
  }
  if (leaves && meet != ptx::ControlFlow::kNone)
    return depending_on(function, flow, branch, ptx::ControlFlow::kNone);
  std::sort(reached.begin(), reached.end());
  return reached;
}

/// All functions' results are in one set of spaces; registers are a function's own.
class ResultSearch {
 public:
  ResultSearch(std::span<const ptx::Function> functions, const std::vector<std::string>& files)
      : functions_(functions), files_(files), registers_(functions.size()) {
    for (std::size_t i = 0; i < functions.size(); ++i) registers_[i].resize(functions[i].registers.size());
  }

  Approximations run() {
    for (const ptx::Function& function : functions_) count(function);
    if (found_.functions.empty()) return std::move(found_);
    do {
      changed_ = false;
      for (std::size_t i = 0; i < functions_.size(); ++i) spread(i);
    } while (changed_);
    for (std::size_t i = 0; i < functions_.size(); ++i) look_for_uses(i);
    return std::move(found_);
  }

 private:
  Approximations::Place place_of(const ptx::Instruction& instruction) const {
    const auto [file, column, line] = instruction.source;
    return {file < files_.size() ? files_[file] : "", line};
  }

  void count(const ptx::Function& function) {
    for (const ptx::Instruction& instruction : function.code) {
      if (!is_approximate(instruction)) continue;
      const std::string name = instruction.spelled();
      auto known = std::find_if(found_.functions.begin(), found_.functions.end(),
                                [&](const auto& one) { return one.instruction == name; });
      if (known == found_.functions.end())
        known = found_.functions.insert(known, {name, 0, place_of(instruction)});
      ++known->count;
    }
  }

  bool reads_result(std::size_t function, const ptx::Instruction& instruction, const Uses& uses) const {
    const auto& tainted = registers_[function];
    if (std::any_of(uses.reads.begin(), uses.reads.end(), [&](std::uint32_t one) { return tainted[one]; }))
      return true;
    switch (instruction.traits().access) {
      case ptx::Access::load:
        // Nothing writes the memory of ld.global.nc while the kernel runs.
        return !has_modifier(instruction, "nc") && spaces_.contains(space_of(instruction));
      case ptx::Access::atomic:
      case ptx::Access::async_copy:
      case ptx::Access::matrix_load:
        return spaces_.contains(space_of(instruction));
      case ptx::Access::texture_fetch:
      case ptx::Access::surface_load:
        return spaces_.contains(ptx::Space::global);
      default:
        // A called function can return any result.
        return instruction.opcode == ptx::Opcode::call && spaces_.contains(ptx::Space::param);
    }
  }

  void spread(std::size_t function) {
    for (const ptx::Instruction& instruction : functions_[function].code) {
      const Uses uses = uses_of(instruction);
      if (!is_approximate(instruction) && !reads_result(function, instruction, uses)) continue;
      for (const std::uint32_t written : uses.writes) {
        changed_ |= !registers_[function][written];
        registers_[function][written] = true;
      }
      const TaintedSpaces before = spaces_;
      store(instruction);
      changed_ |= !(before == spaces_);
    }
  }

  void store(const ptx::Instruction& instruction) {
    switch (instruction.traits().access) {
      case ptx::Access::store:
      case ptx::Access::atomic:
      case ptx::Access::reduction:
      case ptx::Access::matrix_store:
        return spaces_.add(space_of(instruction));
      case ptx::Access::async_copy:
        return spaces_.add(ptx::Space::shared);
      case ptx::Access::surface_store:
        return spaces_.add(ptx::Space::global);
      default:
        if (instruction.opcode == ptx::Opcode::call) spaces_.add(ptx::Space::param);
    }
  }

  void look_for_uses(std::size_t function) {
    const auto& tainted = registers_[function];
    const auto& code = functions_[function].code;
    const auto is_tainted = [&](std::uint32_t one) { return tainted[one]; };
    const auto flow = ptx::analyse(functions_[function]);
    for (std::uint32_t i = 0; i < code.size(); ++i) {
      const ptx::Instruction& instruction = code[i];
      const ptx::Role role = instruction.traits().role;
      const Uses uses = uses_of(instruction);
      const bool reads = std::any_of(uses.reads.begin(), uses.reads.end(), is_tainted);
      if ((instruction.guard && is_tainted(instruction.guard->predicate.index)) ||
          (role == ptx::Role::indexed_branch && reads)) {
        note(found_.branch, instruction);
        if (role != ptx::Role::compute && flow)
          look_for_barriers(code, depending_on(functions_[function], *flow, i, flow->reconvergence[i]));
      }
      std::vector<std::uint32_t> addresses;
      if (instruction.opcode != ptx::Opcode::call)
        for (const ptx::Operand& operand : instruction.operands) add_address_registers(operand, addresses);
      if (std::any_of(addresses.begin(), addresses.end(), is_tainted)) note(found_.address, instruction);
      if (is_barrier(instruction) && reads) note(found_.barrier, instruction);
    }
  }

  void look_for_barriers(const std::vector<ptx::Instruction>& code,
                         const std::vector<std::uint32_t>& dependent) {
    for (const std::uint32_t i : dependent)
      if (is_barrier(code[i]) || code[i].traits().is_collective) note(found_.barrier, code[i]);
  }

  static bool is_barrier(const ptx::Instruction& instruction) {
    return instruction.traits().role == ptx::Role::barrier ||
           instruction.traits().access == ptx::Access::barrier_object;
  }
  void note(std::optional<Approximations::Place>& place, const ptx::Instruction& instruction) const {
    if (!place) place = place_of(instruction);
  }

  std::span<const ptx::Function> functions_;
  const std::vector<std::string>& files_;
  std::vector<std::vector<bool>> registers_;  ///< by function and register: can hold a result
  TaintedSpaces spaces_;
  bool changed_ = false;
  Approximations found_;
};

}  // namespace

bool is_approximate(const ptx::Instruction& instruction) {
  return has_modifier(instruction, "approx") || has_modifier(instruction, "full");
}

Approximations find_approximations(std::span<const ptx::Function> functions,
                                   const std::vector<std::string>& files) {
  return ResultSearch(functions, files).run();
}

}  // namespace vgpu::exec
