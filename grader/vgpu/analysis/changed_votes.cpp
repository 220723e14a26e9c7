#include "vgpu/analysis/changed_votes.hpp"

#include <map>
#include <optional>
#include <set>

#include "vgpu/analysis/rewriting.hpp"

namespace vgpu::exec {
namespace {

using ptx::Opcode;
using ptx::Operand;

constexpr std::uint64_t kEvenLanes = ~kOddLanes & 0xFFFFFFFF;

const ptx::Register* register_in(const Operand& operand) {
  return std::get_if<ptx::Register>(&operand.value);
}

/// The operand that names the lanes that take part; null: the instruction has none, or a constant.
Operand* lanes_of(ptx::Instruction& instruction) {
  if (instruction.operands.empty()) return nullptr;
  const auto is = [&](Opcode opcode) { return instruction.opcode == opcode; };
  Operand* lanes = is(Opcode::vote) || is(Opcode::match) || is(Opcode::shfl) || is(Opcode::redux)
                       ? &instruction.operands.back()
                   : is(Opcode::bar) || is(Opcode::barrier) ? &instruction.operands.front()
                                                            : nullptr;
  return lanes != nullptr && register_in(*lanes) != nullptr ? lanes : nullptr;
}

/// Computes one register from others, and does nothing else.
bool is_plain(const ptx::Instruction& instruction) {
  const ptx::OpcodeTraits& traits = instruction.traits();
  return traits.role == ptx::Role::compute && traits.access == ptx::Access::none && !traits.is_collective &&
         traits.has_destination && !instruction.operands.front().second;
}

/// Votes also say which lanes take part in what follows: `mask = __ballot_sync(~0u, i < n)`, and then
/// `__ballot_sync(mask, …)` by the lanes that are left. Such masks stay right: what they are computed from
/// has a second register without changes.
class ChangedVotes : public Rewriting {
 public:
  explicit ChangedVotes(ptx::Function& function) : Rewriting(function) {
    std::set<std::uint32_t> needed;
    for (ptx::Instruction& one : function.code)
      if (Operand* lanes = lanes_of(one)) needed.insert(register_in(*lanes)->index);
    for (std::size_t known = 0; known != needed.size();) {
      known = needed.size();
      for (const ptx::Instruction& one : function.code)
        if (const auto* result = written(one);
            result != nullptr && is_plain(one) && needed.count(result->index))
          for (std::size_t i = 1; i < one.operands.size(); ++i)
            if (const auto* source = register_in(one.operands[i])) needed.insert(source->index);
    }
    for (const std::uint32_t index : needed)
      right_.emplace(index, add_register(type_of(ptx::Register{index})));
  }

 private:
  void follow(ptx::Instruction instruction) override {
    const Opcode opcode = instruction.opcode;
    const bool is_vote = opcode == Opcode::vote || opcode == Opcode::match,
               is_value = opcode == Opcode::shfl || opcode == Opcode::redux;
    if (Operand* lanes = lanes_of(instruction)) *lanes = right_.at(register_in(*lanes)->index);
    std::optional<Operand> result;
    if (!instruction.operands.empty()) result = Operand{instruction.operands[0].value};
    const auto* place = written(instruction);
    const auto right = place == nullptr ? right_.end() : right_.find(place->index);
    std::optional<ptx::Instruction> again;
    if (right != right_.end() && is_plain(instruction)) again = instruction;
    keep(std::move(instruction));
    if (again)
      repeat(*std::move(again));
    else if (right != right_.end())
      emit(Opcode::mov, {is_predicate(*place) ? "pred" : "b32"}, {right->second, *result}, current().guard);
    if (!result) return;
    if (is_vote) halve(*result);
    if (is_value) change(*result);
  }

  /// The same with the right registers.
  void repeat(ptx::Instruction instruction) {
    for (Operand& operand : instruction.operands)
      if (const auto* one = register_in(operand))
        if (const auto right = right_.find(one->index); right != right_.end())
          operand.value = right->second.value;
    keep(std::move(instruction));
  }

  /// Removes half of the lanes from a mask. None is added: masks also show which elements exist at all, and
  /// what does not exist must not be stored. Predicates stay for the same reason.
  void halve(const Operand& result) {
    const auto* place = register_in(result);
    if (place == nullptr || is_predicate(*place)) return;
    emit(Opcode::and_, {"b32"}, {result, result, number(kEvenLanes)}, current().guard);
  }

  /// x becomes 2 x + 1.
  void change(const Operand& result) {
    emit(Opcode::shl, {"b32"}, {result, result, number(1)}, current().guard);
    emit(Opcode::or_, {"b32"}, {result, result, number(1)}, current().guard);
  }

  bool is_predicate(const ptx::Register& one) const { return type_of(one) == ptx::Type::pred; }

  /// The first register that the instruction writes; null: none.
  static const ptx::Register* written(const ptx::Instruction& instruction) {
    const bool writes = !instruction.operands.empty() && instruction.traits().has_destination;
    return writes ? register_in(instruction.operands.front()) : nullptr;
  }

  std::map<std::uint32_t, Operand> right_;  ///< by the register's index
};

}  // namespace

void change_votes(ptx::Module& module, Scaled experiment) {
  if (experiment != Scaled::votes) return;
  for (ptx::Function& function : module.functions)
    if (!function.code.empty()) ChangedVotes(function).run();
}

}  // namespace vgpu::exec
