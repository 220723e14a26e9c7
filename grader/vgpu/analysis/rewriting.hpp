// Rewrites functions instruction by instruction, for experiments (vgpu/facts/experiment.hpp): labels move
// along, and added instructions count for the line of the one that they belong to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

class Rewriting {
 public:
  explicit Rewriting(ptx::Function& function) : function_(function) {}
  virtual ~Rewriting() = default;

  void run();

 protected:
  /// Adds instructions to the beginning of the function.
  virtual void begin() {}
  /// Keeps the instruction, with others around it.
  virtual void follow(ptx::Instruction instruction) = 0;

  void keep(ptx::Instruction instruction) { function_.code.push_back(std::move(instruction)); }
  void emit(ptx::Opcode opcode, std::vector<std::string> modifiers, std::vector<ptx::Operand> operands,
            const std::optional<ptx::Guard>& guard = std::nullopt);
  /// An instruction of handlers/forms_experiment.cpp.
  void emit_step(std::string_view name, std::string_view type, std::vector<ptx::Operand> operands,
                 const std::optional<ptx::Guard>& guard = std::nullopt);
  /// A new register of the function.
  ptx::Operand add_register(ptx::Type type);

  const ptx::Instruction& current() const { return current_; }
  ptx::Type type_of(const ptx::Register& one) const { return function_.registers[one.index].type; }

 private:
  ptx::Function& function_;
  ptx::Instruction current_;  ///< to which others are added
};

/// The lanes whose number has an odd count of bits.
inline constexpr std::uint64_t kOddLanes = 0x96696996;

inline ptx::Operand number(std::uint64_t bits) { return {ptx::Immediate{bits, ptx::Type::s64}}; }
/// Whether the instruction names the space: "shared" as such, or as "shared::cta".
bool is_for_space(const ptx::Instruction& instruction, std::string_view space);

}  // namespace vgpu::exec
