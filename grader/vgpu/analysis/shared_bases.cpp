#include "vgpu/analysis/shared_bases.hpp"

#include <algorithm>

#include "vgpu/analysis/liveness.hpp"
#include "vgpu/analysis/spelling.hpp"

namespace vgpu::exec {
namespace {

/// What is known about a register, over all instructions that write it: nothing yet, no part of an address of
/// shared memory, the address of (a part of) one variable, or several of these.
struct Base {
  enum class Kind : std::uint8_t { nothing, none, variable, several };
  Kind kind = Kind::nothing;
  std::string_view name{};

  friend bool operator==(const Base&, const Base&) = default;
};
using Kind = Base::Kind;

constexpr Base kNone{Kind::none};
constexpr Base kSeveral{Kind::several};

/// The base of a value that is one of the two.
Base either(const Base& a, const Base& b) {
  if (a.kind == Kind::nothing) return b;
  return b.kind == Kind::nothing || a == b ? a : kSeveral;
}

/// The base of a sum of the two.
Base sum(const Base& a, const Base& b) {
  if (a.kind == Kind::nothing || b.kind == Kind::nothing) return {};
  if (a.kind == Kind::none) return b;
  return b.kind == Kind::none ? a : kSeveral;
}

class BaseSearch {
 public:
  explicit BaseSearch(const ptx::Function& function) : function_(function), of_(function.registers.size()) {}

  std::vector<std::string_view> run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const ptx::Instruction& instruction : function_.code) changed |= follow(instruction);
    }
    std::vector<std::string_view> names;
    for (const ptx::Instruction& instruction : function_.code) names.push_back(base_of_access(instruction));
    return names;
  }

 private:
  Base of(const ptx::Operand& operand) const {
    if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) return of_[reg->index];
    if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) return {Kind::variable, symbol->name};
    const auto* address = std::get_if<ptx::Address>(&operand.value);
    return address == nullptr ? kNone : of(*address);
  }
  Base of(const ptx::Address& address) const {
    if (const auto* reg = std::get_if<ptx::Register>(&address.base)) return of_[reg->index];
    const auto* symbol = std::get_if<ptx::Symbol>(&address.base);
    return symbol == nullptr ? kNone : Base{Kind::variable, symbol->name};
  }

  Base result_of(const ptx::Instruction& instruction) const {
    const auto& traits = instruction.traits();
    const bool is_arithmetic = traits.role == ptx::Role::compute && traits.access == ptx::Access::none;
    if (!is_arithmetic || has_modifier(instruction, "sync")) return kNone;
    Base base = traits.moves_bytes ? Base{} : kNone;
    for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
      if (is_condition(instruction.operands[i])) continue;
      const Base one = of(instruction.operands[i]);
      base = traits.moves_bytes ? either(base, one) : sum(base, one);
      // A difference of two addresses is no address.
      const bool is_subtracted = instruction.opcode == ptx::Opcode::sub && i == 2;
      if (is_subtracted && one.kind == Kind::variable) return kSeveral;
    }
    return base;
  }

  bool is_condition(const ptx::Operand& operand) const {
    const auto* reg = std::get_if<ptx::Register>(&operand.value);
    return reg != nullptr && function_.registers[reg->index].type == ptx::Type::pred;
  }

  /// Returns whether more is known now.
  bool follow(const ptx::Instruction& instruction) {
    const Base result = result_of(instruction);
    bool changed = false;
    for (const std::uint32_t written : uses_of(instruction).writes) {
      const Base known = either(of_[written], result);
      changed |= !(known == of_[written]);
      of_[written] = known;
    }
    return changed;
  }

  std::string_view base_of_access(const ptx::Instruction& instruction) const {
    if (space_of(instruction) != ptx::Space::shared) return {};
    for (const ptx::Operand& operand : instruction.operands) {
      const auto* address = std::get_if<ptx::Address>(&operand.value);
      if (address == nullptr) continue;
      const Base base = of(*address);
      return base.kind == Kind::variable ? base.name : std::string_view();
    }
    return {};
  }

  const ptx::Function& function_;
  std::vector<Base> of_;  ///< by register
};

}  // namespace

std::vector<std::string_view> shared_bases(const ptx::Function& function) {
  const bool uses_shared =
      std::any_of(function.code.begin(), function.code.end(), [](const ptx::Instruction& instruction) {
        return instruction.traits().access != ptx::Access::none &&
               space_of(instruction) == ptx::Space::shared;
      });
  return uses_shared ? BaseSearch(function).run() : std::vector<std::string_view>(function.code.size());
}

}  // namespace vgpu::exec
