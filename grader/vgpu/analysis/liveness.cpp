#include "vgpu/analysis/liveness.hpp"

#include <algorithm>

#include "vgpu/analysis/spelling.hpp"

namespace vgpu::exec {
namespace {

// Beyond these limits liveness is "not known", so that time and memory stay small for every text.
constexpr std::size_t kMaxBits = std::size_t{1} << 25U;  // blocks × registers
constexpr int kMaxRounds = 64;  // compiled code needs the nesting depth of its loops plus two

bool has_destination(const ptx::Instruction& instruction) {
  const bool is_barrier = instruction.traits().role == ptx::Role::barrier;
  if (is_barrier && has_modifier(instruction, "red")) return true;
  return instruction.traits().has_destination;
}

bool ends_thread(const ptx::Instruction& instruction) {
  const ptx::Role role = instruction.traits().role;
  return role == ptx::Role::leave || role == ptx::Role::trap;
}

void collect(const ptx::Operand& operand, std::vector<std::uint32_t>& registers) {
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) registers.push_back(reg->index);
  if (operand.second) registers.push_back(operand.second->index);
  if (const auto* address = std::get_if<ptx::Address>(&operand.value)) {
    if (const auto* base = std::get_if<ptx::Register>(&address->base)) registers.push_back(base->index);
  }
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
    for (const ptx::Operand& element : vector->elements) collect(element, registers);
  }
}

}  // namespace

std::vector<std::uint32_t> successors_of(const ptx::Function& function, const ptx::ControlFlow& flow,
                                         std::uint32_t i) {
  const ptx::Instruction& instruction = function.code[i];
  std::vector<std::uint32_t> next;
  const ptx::Role role = instruction.traits().role;
  if (role == ptx::Role::branch) {
    next.push_back(flow.target[i]);
  } else if (role == ptx::Role::indexed_branch) {
    next = flow.branch_lists[flow.target[i]];
  }
  const bool falls_through = !(role == ptx::Role::branch || ends_thread(instruction)) || instruction.guard;
  if (falls_through && role != ptx::Role::indexed_branch) next.push_back(i + 1);
  return next;
}

Uses uses_of(const ptx::Instruction& instruction) {
  Uses uses;
  if (instruction.guard) uses.reads.push_back(instruction.guard->predicate.index);
  const bool writes_first = has_destination(instruction);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const bool is_address = std::holds_alternative<ptx::Address>(instruction.operands[i].value);
    collect(instruction.operands[i], i == 0 && writes_first && !is_address ? uses.writes : uses.reads);
  }
  return uses;
}

Liveness::Liveness(const ptx::Function& function, const ptx::ControlFlow& flow) {
  for (const ptx::Instruction& instruction : function.code) {
    uses_.push_back(uses_of(instruction));
    is_guarded_.push_back(instruction.guard.has_value());
  }
  find_blocks(function, flow);
  if (blocks_.empty() || blocks_.size() * std::max<std::size_t>(function.registers.size(), 1) > kMaxBits)
    return;
  for (Block& block : blocks_) {
    block.live_in.resize(function.registers.size());
    block.live_out.resize(function.registers.size());
  }
  known_ = solve();
}

void Liveness::find_blocks(const ptx::Function& function, const ptx::ControlFlow& flow) {
  const auto size = static_cast<std::uint32_t>(function.code.size());
  std::vector<bool> starts(size + 1);
  starts[0] = true;
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto next = successors_of(function, flow, i);
    if (next.size() == 1 && next[0] == i + 1) continue;
    starts[i + 1] = true;
    for (const std::uint32_t target : next) starts[target] = true;
  }
  std::vector<std::uint32_t> block_of(size + 1);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (starts[i]) {
      blocks_.emplace_back();
      blocks_.back().begin = i;
    }
    block_of[i] = static_cast<std::uint32_t>(blocks_.size() - 1);
    blocks_.back().end = i + 1;
  }
  for (Block& block : blocks_) {
    for (const std::uint32_t next : successors_of(function, flow, block.end - 1)) {
      if (next < size) block.successors.push_back(block_of[next]);
    }
  }
}

bool Liveness::solve() {
  for (int round = 0; round < kMaxRounds; ++round) {
    bool changed = false;
    // Liveness flows backwards, so that this order needs the fewest rounds.
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) changed |= update(*block);
    if (!changed) return true;
  }
  return false;
}

/// Recomputes a block from its successors; returns whether anything changed.
bool Liveness::update(Block& block) const {
  for (const std::uint32_t successor : block.successors) {
    const auto& in = blocks_[successor].live_in;
    for (std::size_t reg = 0; reg < in.size(); ++reg) {
      if (in[reg]) block.live_out[reg] = true;
    }
  }
  std::vector<bool> live = block.live_out;
  for (std::uint32_t i = block.end; i-- > block.begin;) step_back(live, i);
  if (live == block.live_in) return false;
  block.live_in = std::move(live);
  return true;
}

void Liveness::step_back(std::vector<bool>& live, std::uint32_t instruction) const {
  // Lanes whose guard fails keep the old value.
  if (!is_guarded_[instruction]) {
    for (const std::uint32_t reg : uses_[instruction].writes) live[reg] = false;
  }
  for (const std::uint32_t reg : uses_[instruction].reads) live[reg] = true;
}

}  // namespace vgpu::exec
