#include "vgpu/cost/if_conversion.hpp"

namespace vgpu::exec {
namespace {

constexpr std::uint32_t kMaxBody = 7;  // instructions per side

bool is_branch(const ptx::Instruction& instruction) { return instruction.traits().role == ptx::Role::branch; }

class Branches {
 public:
  Branches(const ptx::Function& function, const ptx::ControlFlow& flow)
      : code_(function.code), flow_(flow), entries_(code_.size() + 1) {
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (is_branch(code_[i])) ++entries_[flow.target[i]];
    }
    for (const auto& list : flow.branch_lists) {
      for (const std::uint32_t target : list) ++entries_[target];
    }
  }

  bool is_predicated(std::uint32_t branch) const {
    const std::uint32_t target = flow_.target[branch];
    return leaves(target) || is_if(branch, target) || is_if_else(branch, target);
  }

 private:
  /// True if only the end of the function follows.
  bool leaves(std::uint32_t at) const {
    if (at == code_.size()) return true;
    return code_[at].traits().role == ptx::Role::leave && !code_[at].guard;
  }
  /// Short code with a single entry, the first instruction, to which `from_outside` branches go.
  bool is_short(std::uint32_t begin, std::uint32_t end, std::uint32_t from_outside) const {
    if (end < begin || end - begin > kMaxBody || entries_[begin] != from_outside) return false;
    for (std::uint32_t i = begin; i < end; ++i) {
      if (code_[i].traits().needs_branch || (i != begin && entries_[i] != 0)) return false;
    }
    return true;
  }
  bool is_if(std::uint32_t branch, std::uint32_t target) const {
    return target > branch + 1 && is_short(branch + 1, target, 0);
  }
  /// The first side ends with a branch over the second.
  bool is_if_else(std::uint32_t branch, std::uint32_t target) const {
    if (target < branch + 2 || target >= code_.size()) return false;
    const ptx::Instruction& over = code_[target - 1];
    if (!is_branch(over) || over.guard) return false;
    const std::uint32_t end = flow_.target[target - 1];
    return end > target && is_short(branch + 1, target - 1, 0) && is_short(target, end, 1);
  }

  const std::vector<ptx::Instruction>& code_;
  const ptx::ControlFlow& flow_;
  std::vector<std::uint32_t> entries_;  ///< by instruction: number of branches to it
};

}  // namespace

std::vector<bool> predicated_branches(const ptx::Function& function, const ptx::ControlFlow& flow) {
  const Branches branches(function, flow);
  std::vector<bool> predicated(function.code.size());
  for (std::uint32_t i = 0; i < function.code.size(); ++i) {
    const bool is_conditional = is_branch(function.code[i]) && function.code[i].guard.has_value();
    predicated[i] = is_conditional && branches.is_predicated(i);
  }
  return predicated;
}

}  // namespace vgpu::exec
