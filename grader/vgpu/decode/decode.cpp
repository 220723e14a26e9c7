#include "vgpu/decode/decode.hpp"

#include <algorithm>
#include <stdexcept>
#include <variant>

#include <fmt/format.h>

#include "vgpu/analysis/cas_guesses.hpp"
#include "vgpu/analysis/shared_bases.hpp"
#include "vgpu/analysis/spelling.hpp"
#include "vgpu/cost/flops.hpp"
#include "vgpu/cost/if_conversion.hpp"
#include "vgpu/cost/machine_work.hpp"
#include "vgpu/cost/shared_merging.hpp"
#include "vgpu/decode/checked_accesses.hpp"
#include "vgpu/decode/decoder.hpp"
#include "vgpu/flow/calls.hpp"
#include "vgpu/flow/control.hpp"
#include "vgpu/flow/spinning.hpp"
#include "vgpu/flow/warp_groups.hpp"

namespace vgpu::exec {
namespace {

void fail(Program& program, const Origin& origin, std::string detail) {
  if (!program.unsupported) program.unsupported = Program::Unsupported{origin, std::move(detail)};
}

}  // namespace

Decoder::Decoder(const ptx::Function& function, const ptx::ControlFlow& flow, Operands& operands,
                 const RegisterUse& use, const CallContext& calls, Tracing tracing, Watching watching,
                 Program& program)
    : function_(function),
      flow_(flow),
      operands_(operands),
      use_(use),
      calls_(calls),
      tracing_(tracing),
      watching_(watching),
      program_(program),
      predicated_(predicated_branches(function, flow)),
      merged_(merged_accesses(function, flow, operands.symbols().shared)),
      guesses_(watching == Watching::on ? cas_guesses(function) : std::vector<bool>()),
      bases_(watching == Watching::on ? shared_bases(function) : std::vector<std::string_view>()),
      speculated_(watching == Watching::on ? speculated_loads(function)
                                           : std::map<std::uint32_t, Readers>()) {
  for (const ptx::Variable& variable : function.variables) {
    if (variable.space == ptx::Space::param) passable_.emplace(variable.name, &variable);
  }
  is_join_.resize(function.code.size() + 1);
  for (const std::uint32_t join : flow.reconvergence) {
    if (join < is_join_.size()) is_join_[join] = true;
  }
}

void Decoder::run() {
  for (std::uint32_t index = 0; index < function_.code.size(); ++index) {
    start_of_.push_back(static_cast<std::uint32_t>(program_.code.size()));
    if (is_join_[index]) add_join(index);
    const ptx::Instruction& instruction = function_.code[index];
    origin_ = static_cast<std::uint32_t>(program_.origins.size());
    program_.origins.push_back({instruction.source, instruction.spelled(), flops_of(instruction)});
    try {
      const std::size_t first = program_.code.size();
      this->instruction(instruction, index);
      if (watching_ == Watching::on) describe_flow(instruction, first);
    } catch (const Unsupported& unsupported) {
      fail(program_, program_.origins.back(), unsupported.detail);
    }
  }
  // Code that continues past the end returns.
  start_of_.push_back(static_cast<std::uint32_t>(program_.code.size()));
  if (is_join_.back()) add_join(static_cast<std::uint32_t>(function_.code.size()));
  emit(calls_.self != nullptr ? control::leave_function : control::leave, InstructionClass::control)
      .counted_as = kUncountedClass;
  resolve_targets();
  describe_work();
}

void Decoder::add_join(std::uint32_t /*index*/) {
  emit(control::join, InstructionClass::control).counted_as = kUncountedClass;
}

static bool reads_grid_size(const ptx::Instruction& instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(), [](const ptx::Operand& one) {
    const auto* special = std::get_if<ptx::SpecialRegister>(&one.value);
    return special != nullptr && special->name == "nctaid";
  });
}

void Decoder::instruction(const ptx::Instruction& instruction, std::uint32_t index) {
  program_.reads_grid_size |= reads_grid_size(instruction);
  program_.has_system_scope |= has_modifier(instruction, "sys") || has_modifier(instruction, "volatile");
  if (instruction.traits().role != ptx::Role::compute) return control(instruction, index);
  if (is_matrix_access(instruction)) return matrix_access(instruction);
  if (wide_conversion(instruction)) return;
  Decoded d = formed(instruction, index);
  if (const auto merged = merged_.find(index); merged != merged_.end())
    program_.merged_accesses.push_back({d.memo, merged->second});
  // The handler of a guarded instruction must not suspend the warp. Instructions that wait are placed between
  // a branch and a join instead.
  if (d.run == control::gather_groups || instruction.opcode == ptx::Opcode::mbarrier) {
    begin_guarded(instruction);
    program_.code.push_back(d);
    watch(instruction, index);
    return end_guarded(instruction);
  }
  apply_guard(d, instruction);
  program_.code.push_back(d);
  watch(instruction, index);
  if (may_wait_in_loop(instruction, d)) add_poll(instruction);
}

void Decoder::watch(const ptx::Instruction& instruction, std::uint32_t index) {
  if (watching_ != Watching::on) return;
  AccessFacts facts{guesses_[index], std::string(bases_[index])};
  if (const auto found = speculated_.find(index); found != speculated_.end()) facts.readers = found->second;
  observe(program_, instruction, operands_, facts);
}

void Decoder::apply_guard(Decoded& d, const ptx::Instruction& instruction) const {
  if (!instruction.guard) return;
  d.guarded = d.run;
  d.run = control::guard;
  d.guard = operands_.register_at(instruction.guard->predicate, Lane::predicate);
  d.guard_negated = instruction.guard->negated;
}

/// True if a loop around the instruction can wait for other threads, because it reads memory that they
/// change.
bool Decoder::may_wait_in_loop(const ptx::Instruction& instruction, const Decoded& d) const {
  const ptx::Space space = space_of(instruction);
  const bool is_common = space != ptx::Space::local && space != ptx::Space::param;
  // A loop cannot wait with weak loads, because a compiler may keep their values in registers. Local memory
  // and parameters do not change through other threads.
  if (instruction.opcode == ptx::Opcode::ld) return is_strong(instruction) && is_common;
  return instruction.opcode == ptx::Opcode::atom && d.dst != kNowhere;
}

void Decoder::add_poll(const ptx::Instruction& instruction) {
  const ptx::Operand* to = &instruction.operands.front();
  if (const auto* vector = std::get_if<ptx::Vector>(&to->value)) to = &vector->elements.front();
  const auto* result = std::get_if<ptx::Register>(&to->value);
  if (result == nullptr) return;
  const std::uint8_t lane_bytes = operands_.lane_bytes(*result);
  const Lane lane = lane_bytes == 8 ? Lane::b64 : lane_bytes == 4 ? Lane::b32 : Lane::predicate;
  const std::uint32_t place = operands_.register_at(*result, lane);
  Decoded& d = emit(control::poll, InstructionClass::control);
  d.a = place;
  d.option = static_cast<std::uint8_t>(lane);
  d.memo = program_.poll_count++;
  d.counted_as = kUncountedClass;
}

void Decoder::control(const ptx::Instruction& instruction, std::uint32_t index) {
  const ptx::Role role = instruction.traits().role;
  if (role == ptx::Role::branch) return branch(instruction, index);
  if (role == ptx::Role::indexed_branch) return branch_list(instruction, index);
  begin_guarded(instruction);
  switch (role) {
    case ptx::Role::leave: {
      const bool is_return = instruction.opcode == ptx::Opcode::ret && calls_.self != nullptr;
      emit(is_return ? control::leave_function : control::leave, InstructionClass::control);
      break;
    }
    case ptx::Role::fence:
      emit(control::fence, InstructionClass::memory).option = static_cast<std::uint8_t>(
          has_modifier(instruction, "cta") ? control::FenceScope::block : control::FenceScope::device);
      program_.checked.has_device_fence |= !has_modifier(instruction, "cta");
      break;
    case ptx::Role::trap:
      emit(control::trap, InstructionClass::control);
      break;
    case ptx::Role::call:
      call(instruction, index);
      break;
    case ptx::Role::barrier:
      barrier(instruction);
      break;
    case ptx::Role::pause:
      emit(control::pause, InstructionClass::control);
      break;
    case ptx::Role::hint:
      emit(control::no_operation, InstructionClass::memory);
      break;
    case ptx::Role::compute:
    case ptx::Role::branch:
    case ptx::Role::indexed_branch:
      throw std::logic_error("control() was called for an instruction that another function decodes");
  }
  end_guarded(instruction);
}

void Decoder::branch(const ptx::Instruction& instruction, std::uint32_t index) {
  Decoded& d = emit(instruction.guard ? control::branch : control::jump, InstructionClass::control);
  if (instruction.guard) {
    d.guard = operands_.register_at(instruction.guard->predicate, Lane::predicate);
    d.guard_negated = instruction.guard->negated;
    program_.origins[origin_].branch =
        predicated_[index] ? Origin::Branch::predicated : Origin::Branch::conditional;
  }
  jumps_.push_back({static_cast<std::uint32_t>(program_.code.size() - 1), flow_.target[index],
                    flow_.reconvergence[index]});
}

void Decoder::branch_list(const ptx::Instruction& instruction, std::uint32_t index) {
  if (instruction.guard) throw Unsupported{"with a guard"};
  const std::uint32_t selector = operands_.source(instruction.operands.at(0), Lane::b32);
  const std::uint32_t list = add_list(flow_.branch_lists.at(flow_.target[index]));
  Decoded& d = emit(control::branch_list, InstructionClass::control);
  d.a = selector;
  d.extra = list;
  program_.origins[origin_].branch = Origin::Branch::list;
  // The targets are in the list: the jump itself only needs a join.
  jumps_.push_back({static_cast<std::uint32_t>(program_.code.size() - 1), index, flow_.reconvergence[index]});
}

void Decoder::begin_guarded(const ptx::Instruction& instruction) {
  if (!instruction.guard) return;
  const std::uint32_t guard = operands_.register_at(instruction.guard->predicate, Lane::predicate);
  Decoded& d = emit(control::skip, InstructionClass::control);
  d.guard = guard;
  d.guard_negated = instruction.guard->negated;
  d.counted_as = kUncountedClass;
  skip_ = program_.code.size() - 1;
}

void Decoder::end_guarded(const ptx::Instruction& instruction) {
  if (!instruction.guard) return;
  Decoded& skip = program_.code[skip_];
  // Lanes that skip wait for the others after the instruction.
  skip.target = skip.join = static_cast<std::int32_t>(program_.code.size() - skip_);
  add_join(0);
}

void Decoder::resolve_targets() {
  const auto relative = [&](std::uint32_t from, std::uint32_t instruction) {
    return static_cast<std::int32_t>(start_of_[instruction]) - static_cast<std::int32_t>(from);
  };
  for (const Jump& jump : jumps_) {
    Decoded& d = program_.code[jump.at];
    d.target = relative(jump.at, jump.target);
    d.join = jump.join == ptx::ControlFlow::kNone ? 0 : relative(jump.at, jump.join);
    if (d.run != control::branch_list) continue;
    for (std::uint32_t& target : program_.lists[d.extra]) target = start_of_[target];
  }
}

/// Appends this function's work to that of the functions before it.
void Decoder::describe_work() {
  std::vector<std::uint32_t> code_of;
  for (std::uint32_t index = 0; index < function_.code.size(); ++index) {
    std::uint32_t at = start_of_[index];
    while (at < start_of_[index + 1] && program_.code[at].counted_as == kUncountedClass) ++at;
    code_of.push_back(at < start_of_[index + 1] ? at : kNowhere);
  }
  WorkSites sites = program_.work ? *program_.work : WorkSites{};
  const WorkSites own = work_sites(function_, flow_, code_of, merged_);
  sites.insert(sites.end(), own.begin(), own.end());
  program_.work = std::make_shared<const WorkSites>(std::move(sites));
}

Decoded& Decoder::emit(Handler handler, InstructionClass counted_as) {
  Decoded d;
  d.run = handler;
  d.origin = origin_;
  d.counted_as = static_cast<std::uint8_t>(counted_as);
  program_.code.push_back(d);
  return program_.code.back();
}

std::uint32_t Decoder::add_list(std::vector<std::uint32_t> list) {
  program_.lists.push_back(std::move(list));
  return static_cast<std::uint32_t>(program_.lists.size() - 1);
}

}  // namespace vgpu::exec
