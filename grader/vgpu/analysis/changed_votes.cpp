#include "vgpu/analysis/changed_votes.hpp"

#include <optional>

#include "vgpu/analysis/rewriting.hpp"

namespace vgpu::exec {
namespace {

using ptx::Opcode;
using ptx::Operand;

constexpr std::uint64_t kEvenLanes = ~kOddLanes & 0xFFFFFFFF;

class ChangedVotes : public Rewriting {
 public:
  using Rewriting::Rewriting;

 private:
  void follow(ptx::Instruction instruction) override {
    const Opcode opcode = instruction.opcode;
    const bool is_vote = opcode == Opcode::vote || opcode == Opcode::match,
               is_value = opcode == Opcode::shfl || opcode == Opcode::redux;
    std::optional<Operand> result;
    if ((is_vote || is_value) && !instruction.operands.empty())
      result = Operand{instruction.operands[0].value};
    keep(std::move(instruction));
    if (result) is_vote ? halve(*result) : change(*result);
  }

  /// Removes half of the lanes from a mask. None is added: masks also show which elements exist at all, and
  /// what does not exist must not be stored. Predicates stay for the same reason.
  void halve(const Operand& result) {
    const auto* place = std::get_if<ptx::Register>(&result.value);
    if (place == nullptr || type_of(*place) == ptx::Type::pred) return;
    emit(Opcode::and_, {"b32"}, {result, result, number(kEvenLanes)}, current().guard);
  }

  /// x becomes 2 x + 1.
  void change(const Operand& result) {
    emit(Opcode::shl, {"b32"}, {result, result, number(1)}, current().guard);
    emit(Opcode::or_, {"b32"}, {result, result, number(1)}, current().guard);
  }
};

}  // namespace

void change_votes(ptx::Module& module, Scaled experiment) {
  if (experiment != Scaled::votes) return;
  for (ptx::Function& function : module.functions)
    if (!function.code.empty()) ChangedVotes(function).run();
}

}  // namespace vgpu::exec
