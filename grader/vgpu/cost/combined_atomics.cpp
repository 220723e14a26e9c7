#include "vgpu/cost/combined_atomics.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "vgpu/analysis/liveness.hpp"
#include "vgpu/analysis/spelling.hpp"

namespace vgpu::exec {
namespace {

constexpr int kMaxDepth = 16;  // number of dependent definitions in an address computation

template <std::size_t size>
bool is_in(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Values that are the same in all threads of a block, found by following definitions backwards.
class Uniform {
 public:
  explicit Uniform(const ptx::Function& function) : function_(function) {}

  bool is_uniform(const ptx::Operand& operand, int depth = 0) const {
    const auto& value = operand.value;
    if (const auto* reg = std::get_if<ptx::Register>(&value)) return is_uniform(reg->index, depth);
    if (const auto* special = std::get_if<ptx::SpecialRegister>(&value)) {
      static constexpr std::array<std::string_view, 4> kOfBlock{"ctaid", "nctaid", "ntid", "gridid"};
      return is_in(kOfBlock, special->name);
    }
    if (const auto* address = std::get_if<ptx::Address>(&value)) {
      const auto* base = std::get_if<ptx::Register>(&address->base);
      return base == nullptr || is_uniform(base->index, depth);
    }
    return std::holds_alternative<ptx::Immediate>(value) || std::holds_alternative<ptx::Symbol>(value);
  }

 private:
  bool is_uniform(std::uint32_t reg, int depth) const {
    if (depth >= kMaxDepth) return false;
    const ptx::Instruction* definition = nullptr;
    for (const ptx::Instruction& instruction : function_.code) {
      const auto writes = uses_of(instruction).writes;
      if (std::find(writes.begin(), writes.end(), reg) == writes.end()) continue;
      if (definition != nullptr) return false;  // threads can take their values from different definitions
      definition = &instruction;
    }
    return definition != nullptr && computes_uniform(*definition, depth + 1);
  }
  bool computes_uniform(const ptx::Instruction& instruction, int depth) const {
    // Threads whose guard fails keep an older value.
    if (instruction.guard) return false;
    const bool is_parameter =
        instruction.opcode == ptx::Opcode::ld && space_of(instruction) == ptx::Space::param;
    if (!is_parameter && !instruction.traits().keeps_uniformity) return false;
    return std::all_of(instruction.operands.begin() + 1, instruction.operands.end(),
                       [&](const ptx::Operand& operand) { return is_uniform(operand, depth); });
  }

  const ptx::Function& function_;
};

}  // namespace

bool is_combined_atomic(const ptx::Function& function, const ptx::Instruction& instruction) {
  static constexpr std::array<std::string_view, 6> kCombines{"add", "min", "max", "and", "or", "xor"};
  static constexpr std::array<ptx::Type, 3> kWords{ptx::Type::s32, ptx::Type::u32, ptx::Type::b32};
  if (std::find(kWords.begin(), kWords.end(), type_of(instruction)) == kWords.end()) return false;
  const bool combines = std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                                    [](const std::string& modifier) { return is_in(kCombines, modifier); });
  // red has no destination, so its address is the first operand.
  const std::size_t address = instruction.traits().access == ptx::Access::reduction ? 0 : 1;
  return combines && address < instruction.operands.size() &&
         Uniform(function).is_uniform(instruction.operands[address]);
}

}  // namespace vgpu::exec
